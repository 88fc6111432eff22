// The picture of a graph, drawn by sigma with WebGL: shapes, lines, names, how much detail, and the pointer.
import { DirectedGraph } from "graphology";
import type AbstractGraph from "graphology-types";
import Sigma from "sigma";
import { EdgeLineProgram } from "sigma/rendering";
import type { MouseCoords } from "sigma/types";
import { coloursOfPage, DASHES, sideOf, type Colours } from "./colours";
import { keptAfar, keptNear, MOST_NEAR } from "./detail";
import { otherEnd, type Drawn, type DrawnNode } from "./drawn";
import { hoverWriter, labelWriter, Room } from "./labels";
import { LineProgram } from "./lines";
import { ShapeProgram } from "./shapes";
import type { GraphEdge } from "../../verbs";

const FONT = 'system-ui, "Hiragino Sans", "Noto Sans JP", "Noto Sans CJK JP", sans-serif';
/** With more relations than this, they are hidden while the picture moves. */
const MANY_EDGES = 2000;
/** With fewer nodes than this, each of them gets its name where there is room. */
const FEW_NODES = 150;
const MOVE_MS = 120;
/** A finger is not as exact as a small shape. */
const REACH_PX = 16;
const NAMED_NEIGHBOURS = 12;

export interface Marks {
  selected: string | null;
  /** What is looked for, if something is. */
  found: Set<string> | null;
}

export interface PictureEvents {
  onSelect: (id: string | null) => void;
  onExpand: (id: string) => void;
  sayMore: (many: number) => string;
}

export class Picture {
  private readonly sigma: Sigma;
  private colours: Colours = coloursOfPage();
  private drawn: Drawn | null = null;
  private places: Float32Array = new Float32Array();
  private afar = new Set<GraphEdge>();
  /** What is drawn thick; null in a small graph, of which all is. */
  private near: Set<GraphEdge> | null = null;
  private marks: Marks = { selected: null, found: null };
  private readonly isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  private stretch = 1;
  private timer = 0;
  private readonly room = new Room();

  constructor(container: HTMLElement, private readonly events: PictureEvents) {
    this.sigma = new Sigma(new DirectedGraph(), container, {
      allowInvalidContainer: true, labelFont: FONT, labelSize: 12, labelWeight: "400", labelDensity: 0.7, labelGridCellSize: 120, stagePadding: 44,
      minEdgeThickness: 0.8, minCameraRatio: 0.02, maxCameraRatio: 3, zoomDuration: this.moveMs, inertiaDuration: this.moveMs, doubleClickZoomingDuration: this.moveMs,
      nodeProgramClasses: { shape: ShapeProgram }, nodeHoverProgramClasses: { shape: ShapeProgram }, edgeProgramClasses: { thin: EdgeLineProgram, line: LineProgram },
      defaultNodeType: "shape", defaultEdgeType: "line",
      nodeReducer: (id, data) => this.nodeLook(id, data["of"] as DrawnNode, data),
      edgeReducer: (_, data) => this.edgeLook(data["of"] as GraphEdge),
    });
    this.recolour();
    this.listen(container);
  }

  private get moveMs(): number {
    return this.isStill ? 0 : MOVE_MS;
  }

  /** Show a graph with its nodes at these places, two numbers each. */
  show(drawn: Drawn, places: Float32Array): void {
    const { width, height } = this.sigma.getDimensions();
    // Layouts are round, and screens are not.
    this.stretch = Math.min(1.6, Math.max(0.7, width / height));
    this.drawn = drawn;
    this.places = places;
    this.afar = keptAfar(drawn);
    this.near = drawn.nodes.length <= MOST_NEAR ? null : new Set();
    // Sizes of which names are written: of few nodes all, of many the larger ones.
    const threshold = drawn.nodes.length < FEW_NODES ? 0 : drawn.nodes.length < MOST_NEAR ? 5 : 4;
    this.set({ hideEdgesOnMove: drawn.edges.length > MANY_EDGES, labelRenderedSizeThreshold: threshold });
    this.build();
    this.chooseDetailSoon();
  }

  /** Settings that are set make sigma draw everything again, even if they are the same as before. */
  private set(settings: { hideEdgesOnMove: boolean; labelRenderedSizeThreshold: number }): void {
    const now = this.sigma.getSettings();
    if (now.hideEdgesOnMove !== settings.hideEdgesOnMove || now.labelRenderedSizeThreshold !== settings.labelRenderedSizeThreshold) this.sigma.setSettings(settings);
  }

  /** Hand sigma the relations of the present level of detail. Of several between the same two, one is drawn: the list
   * has all. */
  private build(): void {
    const graph = new DirectedGraph();
    const { nodes, edges } = this.drawn!;
    nodes.forEach((node, at) => graph.addNode(node.id, { x: this.places[at * 2]! * this.stretch, y: this.places[at * 2 + 1], size: this.sizeOf(node), of: node }));
    for (const edge of this.near ? [...this.near, ...this.afar] : edges) addEdge(graph, edge);
    this.sigma.setGraph(graph);
    if (this.near && this.marks.selected) this.addEdgesOf(this.marks.selected);
  }

  /** In a large graph, all relations of what is chosen are drawn beside the others. */
  private addEdgesOf(id: string): void {
    for (const edge of this.drawn!.edgesOf.get(id) ?? []) addEdge(this.sigma.getGraph(), edge);
  }

  private dropEdgesOf(id: string): void {
    const graph = this.sigma.getGraph();
    if (!graph.hasNode(id)) return;
    for (const key of graph.edges(id)) {
      const edge = graph.getEdgeAttribute(key, "of") as GraphEdge;
      if (!this.afar.has(edge) && !this.near?.has(edge)) graph.dropEdge(key);
    }
  }

  /** Move the nodes that are shown. */
  move(places: Float32Array): void {
    let at = 0;
    this.places = places;
    this.sigma.getGraph().updateEachNodeAttributes((_, data) => Object.assign(data, { x: places[at++]! * this.stretch, y: places[at++] }), { attributes: ["x", "y"] });
    this.chooseDetailSoon();
  }

  mark(marks: Marks): void {
    const before = this.marks;
    this.marks = marks;
    if (!this.drawn) return;
    if (before.found !== marks.found) this.sigma.refresh({ skipIndexation: true });
    else if (before.selected !== marks.selected) this.choose(before.selected, marks.selected);
  }

  recolour(): void {
    this.colours = coloursOfPage();
    this.sigma.setSettings({ defaultDrawNodeLabel: labelWriter(this.colours, this.room), defaultDrawNodeHover: hoverWriter(this.colours, this.events.sayMore) });
    this.sigma.refresh({ skipIndexation: true });
  }

  zoom(factor: number): void {
    const camera = this.sigma.getCamera();
    void camera.animate({ ratio: camera.getBoundedRatio(camera.ratio / factor) }, { duration: this.moveMs });
  }

  reset(): void {
    void this.sigma.getCamera().animate({ x: 0.5, y: 0.5, ratio: 1 }, { duration: this.moveMs });
  }

  /** Bring a node into view, if it is not. */
  reveal(id: string): void {
    const place = this.placeOf(id);
    const { width, height } = this.sigma.getDimensions();
    if (!place || (place.x > 0 && place.y > 0 && place.x < width && place.y < height)) return;
    const { x, y } = this.sigma.getNodeDisplayData(id)!;
    void this.sigma.getCamera().animate({ x, y }, { duration: this.moveMs });
  }

  /** The neighbour of a node that lies most in a direction on the screen. */
  towards(id: string, [right, down]: [number, number]): string | null {
    const from = this.placeOf(id);
    let best: { id: string; cost: number } | null = null;
    for (const edge of (from && this.drawn?.edgesOf.get(id)) ?? []) {
      const other = otherEnd(edge, id);
      const to = this.placeOf(other);
      if (!to || other === id) continue;
      const [dx, dy] = [to.x - from!.x, to.y - from!.y];
      const far = Math.hypot(dx, dy) || 1;
      const aligned = (dx * right + dy * down) / far;
      const cost = far * (2 - aligned);
      if (aligned > 0.4 && (!best || cost < best.cost)) best = { id: other, cost };
    }
    return best?.id ?? null;
  }

  end(): void {
    clearTimeout(this.timer);
    this.sigma.kill();
  }

  private placeOf(id: string): { x: number; y: number } | null {
    const data = this.sigma.getNodeDisplayData(id);
    return data ? this.sigma.framedGraphToViewport(data) : null;
  }

  private nodeLook(id: string, node: DrawnNode, { x, y, size = 1 }: { x?: number; y?: number; size?: number }) {
    const { path } = this.drawn!;
    const isSelected = id === this.marks.selected;
    const isMarked = this.marks.found ? this.marks.found.has(id) : path ? path.ids.has(id) : true;
    return {
      x, y, kind: node.kind, size: isSelected || node.isStart ? size + 2 : size, type: "shape", highlighted: isSelected, more: node.more,
      color: isMarked || isSelected ? this.colours.kinds[node.kind] : this.colours.dimmed,
      label: isMarked || isSelected ? node.name : null,
      forceLabel: isSelected || (isMarked && (path?.ids.has(id) ?? false)) || this.isNamedNeighbour(id),
    };
  }

  /** What has more relations is larger; where there are many, all are smaller. */
  private sizeOf({ id }: DrawnNode): number {
    const many = this.drawn!.nodes.length;
    const degree = this.drawn!.edgesOf.get(id)!.length;
    if (many > MOST_NEAR) return 1 + Math.min(6, 0.4 * Math.sqrt(degree));
    return (6 + Math.min(8, 1.4 * Math.sqrt(degree))) * (many > 4 * FEW_NODES ? 0.42 : many > FEW_NODES ? 0.6 : 1);
  }

  private isNamedNeighbour(id: string): boolean {
    const edges = this.marks.selected === null ? undefined : this.drawn!.edgesOf.get(this.marks.selected);
    return edges !== undefined && edges.length <= NAMED_NEIGHBOURS && edges.some((edge) => edge.source_id === id || edge.target_id === id);
  }

  private edgeLook(edge: GraphEdge) {
    const side = sideOf(edge.tag);
    const shades = this.colours.sides[side];
    const { selected, found } = this.marks;
    const path = this.drawn!.path;
    const isStrong = path?.edges.has(edge) || edge.source_id === selected || edge.target_id === selected;
    const isDimmed = !isStrong && (path !== null || (found !== null && !(found.has(edge.source_id) && found.has(edge.target_id))));
    const isNear = this.near === null || this.near.has(edge);
    return {
      type: isStrong || isNear ? "line" : "thin",
      size: this.drawn!.nodes.length < FEW_NODES ? 0.8 + 5 * edge.thickness : 0.4 + 2 * edge.thickness,
      dash: DASHES[side],
      color: isStrong ? shades.full : isDimmed || !isNear ? shades.faint : shades.calm,
    };
  }

  private choose(before: string | null, now: string | null): void {
    const graph = this.sigma.getGraph();
    const nodes = [before, now].filter((id): id is string => id !== null && graph.hasNode(id));
    if (this.near && before) this.dropEdgesOf(before);
    if (this.near && now) this.addEdgesOf(now);
    const edges = nodes.flatMap((id) => graph.edges(id));
    // A relation that changes from thin to thick moves to another program, which needs everything to be indexed anew.
    this.sigma.refresh({ partialGraph: { nodes: [...new Set(nodes.flatMap((id) => [id, ...graph.neighbors(id)]))], edges }, skipIndexation: this.near === null });
  }

  private inView(): Set<string> {
    const { x1, y1, x2, y2, height } = this.sigma.viewRectangle();
    const [left, right, bottom, top] = [Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y1 - height, y2 - height), Math.max(y1, y2)];
    const found = new Set<string>();
    this.sigma.getGraph().forEachNode((id) => {
      const data = this.sigma.getNodeDisplayData(id);
      if (data && data.x >= left && data.x <= right && data.y >= bottom && data.y <= top) found.add(id);
    });
    return found;
  }

  private chooseDetail(): void {
    if (!this.drawn || !this.near) return;
    const near = keptNear(this.drawn, this.inView());
    if (near.size === this.near.size && [...near].every((edge) => this.near!.has(edge))) return;
    this.near = near;
    this.build();
  }

  private chooseDetailSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.chooseDetail(), 2 * MOVE_MS);
  }

  private listen(container: HTMLElement): void {
    const { sigma, events } = this;
    sigma.on("clickNode", ({ node }) => events.onSelect(node));
    sigma.on("clickStage", ({ event }) => events.onSelect(this.nearest(event)));
    sigma.on("doubleClickNode", ({ node, preventSigmaDefault }) => { preventSigmaDefault(); events.onExpand(node); });
    sigma.on("doubleClickStage", ({ event, preventSigmaDefault }) => {
      const id = this.nearest(event);
      if (id === null) return;
      preventSigmaDefault();
      events.onExpand(id);
    });
    sigma.on("beforeRender", () => this.keepRoom());
    sigma.on("enterNode", () => container.classList.add("pointing"));
    sigma.on("leaveNode", () => container.classList.remove("pointing"));
    sigma.getCamera().on("updated", () => this.chooseDetailSoon());
  }

  private keepRoom(): void {
    this.room.clear();
    if (this.drawn && this.drawn.nodes.length < FEW_NODES) {
      for (const node of this.drawn.nodes) {
        const place = this.placeOf(node.id);
        if (place) this.room.occupy(place.x, place.y, this.sigma.scaleSize(this.sizeOf(node)));
      }
    }
  }

  private nearest({ x, y }: MouseCoords): string | null {
    let best: string | null = null;
    let reach = REACH_PX;
    this.sigma.getGraph().forEachNode((id) => {
      const place = this.placeOf(id)!;
      const far = Math.hypot(place.x - x, place.y - y);
      if (far < reach) [best, reach] = [id, far];
    });
    return best;
  }
}

function addEdge(graph: AbstractGraph, edge: GraphEdge): void {
  if (graph.hasNode(edge.source_id) && graph.hasNode(edge.target_id) && !graph.hasDirectedEdge(edge.source_id, edge.target_id)) graph.addDirectedEdge(edge.source_id, edge.target_id, { of: edge });
}
