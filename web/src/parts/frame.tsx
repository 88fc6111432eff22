// The frame of every page: where one can go, language and colours, the key that a service asks for, and help.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { giveKey, wantsKey } from "../api";
import { useKeys } from "../keys";
import { lostSince } from "../live";
import { prefer, usePreferences, type Scheme } from "../preferences";
import { address, go } from "../router";
import { useStore } from "../store";
import { useWords, words } from "../words";
import { Help } from "./help";
import { NoticeBar } from "./notice";

const table = words(
  {
    ask: "Ask", graph: "Graph", evidence: "Evidence", care: "Care", setup: "Set up", skip: "Skip to the content",
    language: "日本語", languageLabel: "日本語で表示する", scheme: (now: string) => `Colours: ${now}`, auto: "as the system", light: "light", dark: "dark",
    help: "Keys and help", key: "This service wants a key.", keyHint: "`wherefrom key create` makes one. It stays in this tab and is sent with each call.",
    useKey: "Use this key", keyLabel: "Key", notLive: (time: string) => `not live since ${time}`,
  },
  {
    ask: "たずねる", graph: "グラフ", evidence: "証拠", care: "手入れ", setup: "設定", skip: "本文へ移動",
    language: "English", languageLabel: "Show in English", scheme: (now: string) => `配色: ${now}`, auto: "自動", light: "明るい", dark: "暗い",
    help: "キー操作とヘルプ", key: "このサービスにはキーが必要です。", keyHint: "`wherefrom key create` で作れます。キーはこのタブだけに保存され、呼び出しごとに送られます。",
    useKey: "このキーを使う", keyLabel: "キー", notLive: (time: string) => `${time} から更新が途切れています`,
  },
);

const NEXT: Record<Scheme, Scheme> = { auto: "light", light: "dark", dark: "auto" };
const PLACES = [["", "/", "ask"], ["graph", "/graph", "graph"], ["evidence", "/evidence", "evidence"], ["care", "/care/review", "care"], ["setup", "/setup/status", "setup"]] as const;
const BELONGS: Record<string, string> = { n: "", task: "evidence", sql: "evidence" };

export function Frame({ current, children }: { current: string; children: ComponentChildren }) {
  const say = useWords(table);
  const { language, scheme } = usePreferences();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const lost = useStore(lostSince);
  const asksForKey = useStore(wantsKey);
  useKeys({
    "?": () => setHelpOpen(true),
    "/": () => {
      const field = document.querySelector<HTMLInputElement>("#question");
      if (field) field.focus();
      else go("/#question");
    },
    "g a": () => go("/"),
    "g g": () => go("/graph"),
    "g e": () => go("/evidence"),
    "g r": () => go("/care/review"),
    "g l": () => go("/care/log"),
    "g s": () => {
      const last = sessionStorage.getItem("wherefrom.last");
      if (last) go(address(`/n/${last}`));
    },
  });
  return (
    <>
      <a class="skip" href="#content">{say.skip}</a>
      <header class="frame">
        <a class="name" href="/">Wherefrom</a>
        <nav>
          {PLACES.map(([name, path, word]) => (
            <a key={name} href={path} aria-current={(BELONGS[current] ?? current) === name ? "page" : undefined}>{say[word]}</a>
          ))}
        </nav>
        <span class="tools">
          {lost && <span class="muted">{say.notLive(lost.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" }))}</span>}
          <button type="button" class="plain" lang={language === "en" ? "ja" : "en"} aria-label={say.languageLabel} onClick={() => prefer({ language: language === "en" ? "ja" : "en" })}>{say.language}</button>
          <button type="button" class="plain" aria-label={say.scheme(say[scheme])} title={say.scheme(say[scheme])} onClick={() => prefer({ scheme: NEXT[scheme] })}>{scheme === "light" ? "☀" : scheme === "dark" ? "☾" : "◐"}</button>
          <button type="button" class="plain" aria-label={say.help} title={say.help} onClick={() => setHelpOpen(true)}>?</button>
        </span>
      </header>
      <main id="content" tabIndex={-1}>{asksForKey ? <KeyForm /> : children}</main>
      <NoticeBar />
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </>
  );
}

function KeyForm() {
  const say = useWords(table);
  const field = useRef<HTMLInputElement>(null);
  return (
    <form class="card key-form" onSubmit={(event) => { event.preventDefault(); giveKey(field.current?.value.trim() ?? ""); }}>
      <h1>{say.key}</h1>
      <p class="muted">{say.keyHint}</p>
      <label>{say.keyLabel} <input ref={field} type="password" autocomplete="off" spellcheck={false} required /></label>
      <button type="submit" class="main">{say.useKey}</button>
    </form>
  );
}

/** The pages below one part, as tabs. */
export function Tabs({ current, places }: { current: string; places: { name: string; path: string; text: string }[] }) {
  return (
    <nav class="tabs">
      {places.map(({ name, path, text }) => <a key={name} href={path} aria-current={name === current ? "page" : undefined}>{text}</a>)}
    </nav>
  );
}

/** The title of a page, also of its tab in the browser. */
export function Title({ children }: { children: string }) {
  document.title = `${children} · Wherefrom`;
  return <h1>{children}</h1>;
}
