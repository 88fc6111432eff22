// The place of the picture. Sigma is loaded when it is first needed; where WebGL is missing, that is said.
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { useWords } from "../../words";
import type { Actions } from "./actions";
import type { Drawn } from "./drawn";
import { Layout } from "./layout";
import type { Picture } from "./picture";
import { table } from "./words";

export type PictureHandle = Pick<Picture, "zoom" | "reset">;

const DIRECTIONS: Record<string, [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

interface CanvasProps {
  /** Null until the service has answered. */
  drawn: Drawn | null;
  selected: string | null;
  found: Set<string> | null;
  actions: Actions;
  handle: { current: PictureHandle | null };
}

export function Canvas(props: CanvasProps) {
  const say = useWords(table);
  const [canDraw] = useState(hasWebGL);
  return canDraw ? <Drawing {...props} /> : <p class="no-picture" role="status">{say.noPicture}</p>;
}

function Drawing({ drawn, selected, found, actions, handle }: CanvasProps) {
  const say = useWords(table);
  const { language } = usePreferences();
  const place = useRef<HTMLDivElement>(null);
  // The picture lives longer than one drawing of this component, and must always act as the latest one would.
  const now = useRef(actions);
  now.current = actions;
  const picture = usePicture(place, now, say.more);
  handle.current = picture;
  const share = useLayout(picture, drawn);
  useEffect(() => picture?.mark({ selected, found }), [picture, selected, found]);
  useEffect(() => { if (selected) picture?.reveal(selected); }, [picture, selected]);
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = selected && drawn?.byId.has(selected) ? picture?.towards(selected, direction) : drawn?.nodes[0]?.id;
    if (next) actions.select(next);
  };
  const status = picture === null ? say.loadingPicture : drawn && share < 100 ? say.arranging(share) : "";
  const chosen = selected === null ? undefined : drawn?.byId.get(selected);
  return (
    <div class="canvas-frame">
      <div
        ref={place} class="canvas" role="application" tabIndex={0} data-arranged={picture !== null && share === 100} onKeyDown={onKeyDown}
        aria-label={say.picture(count(drawn?.nodes.length ?? 0, language), count(drawn?.edges.length ?? 0, language))}
      />
      <p class="canvas-status muted">{status}</p>
      <p class="sr-only" role="status">{chosen && say.selected(chosen.name, drawn!.edgesOf.get(chosen.id)!.length)}</p>
      <div class="zooms">
        <button type="button" class="plain" aria-label={say.zoomIn} title={`${say.zoomIn} (+)`} onClick={() => picture?.zoom(1.5)}>+</button>
        <button type="button" class="plain" aria-label={say.zoomOut} title={`${say.zoomOut} (-)`} onClick={() => picture?.zoom(1 / 1.5)}>−</button>
        <button type="button" class="plain" aria-label={say.whole} title={`${say.whole} (0)`} onClick={() => picture?.reset()}>⤢</button>
      </div>
    </div>
  );
}

function usePicture(place: { current: HTMLDivElement | null }, actions: { current: Actions }, sayMore: (many: number) => string): Picture | null {
  const [picture, setPicture] = useState<Picture | null>(null);
  const { scheme } = usePreferences();
  useEffect(() => {
    let made: Picture | null = null;
    let isGone = false;
    void import("./picture").then((loaded) => {
      if (isGone || !place.current) return;
      made = new loaded.Picture(place.current, { onSelect: (id) => actions.current.select(id), onExpand: (id) => actions.current.expand(id), sayMore });
      setPicture(made);
    });
    return () => {
      isGone = true;
      made?.end();
    };
  }, [sayMore]);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const recolour = () => picture?.recolour();
    recolour();
    dark.addEventListener("change", recolour);
    return () => dark.removeEventListener("change", recolour);
  }, [picture, scheme]);
  return picture;
}

/** Have the worker arrange what is drawn, and show it; returns how many per cent of the work are done. */
function useLayout(picture: Picture | null, drawn: Drawn | null): number {
  const layout = useRef<Layout | null>(null);
  const [share, setShare] = useState(0);
  layout.current ??= new Layout();
  useEffect(() => () => { layout.current?.end(); layout.current = null; }, []);
  useEffect(() => {
    if (!picture || !drawn) return;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let isShown = false;
    layout.current!.arrange(drawn, ({ places, step, steps }) => {
      setShare(Math.round((100 * step) / steps));
      if (isStill && step < steps) return;
      if (isShown) picture.move(places);
      else picture.show(drawn, places);
      isShown = true;
    });
  }, [picture, drawn]);
  return share;
}

function hasWebGL(): boolean {
  const canvas = document.createElement("canvas");
  return (canvas.getContext("webgl2") ?? canvas.getContext("webgl")) !== null;
}
