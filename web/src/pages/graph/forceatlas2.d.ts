// The parts of ForceAtlas2 that have no types of their own: one step on plain arrays, and the usual settings.
declare module "graphology-layout-forceatlas2/iterate.js" {
  import type { ForceAtlas2Settings } from "graphology-layout-forceatlas2";
  export default function iterate(settings: ForceAtlas2Settings, nodes: Float32Array, edges: Float32Array): void;
}
declare module "graphology-layout-forceatlas2/defaults.js" {
  import type { ForceAtlas2Settings } from "graphology-layout-forceatlas2";
  const defaults: ForceAtlas2Settings;
  export default defaults;
}
