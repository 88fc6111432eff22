// The reader's language and colours, kept in this browser.
import { Store, useStore } from "./store";

export type Language = "en" | "ja";
export type Scheme = "auto" | "light" | "dark";
export interface Preferences {
  language: Language;
  scheme: Scheme;
}

const PLACE = "wherefrom.preferences";

export const preferences = new Store<Preferences>(read());

export function usePreferences(): Preferences {
  return useStore(preferences);
}

export function prefer(change: Partial<Preferences>): void {
  const next = { ...preferences.get(), ...change };
  preferences.set(next);
  show(next);
  try {
    localStorage.setItem(PLACE, JSON.stringify(next));
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

export function show({ language, scheme }: Preferences): void {
  document.documentElement.lang = language;
  document.documentElement.dataset["scheme"] = scheme;
}

function read(): Preferences {
  const usual: Preferences = { language: navigator.language.startsWith("ja") ? "ja" : "en", scheme: "auto" };
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Partial<Preferences>;
    return {
      language: kept.language === "ja" || kept.language === "en" ? kept.language : usual.language,
      scheme: kept.scheme === "light" || kept.scheme === "dark" ? kept.scheme : usual.scheme,
    };
  } catch {
    return usual;
  }
}
