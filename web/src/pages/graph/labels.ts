// Writes the names in the picture: short ones beside the nodes that matter, a framed one at what is pointed at or chosen.
import type { Settings } from "sigma/settings";
import type { NodeDisplayData, PartialButFor } from "sigma/types";
import type { Colours } from "./colours";

const SHORT_CHARACTERS = 30;
const GAP = 4;

type Labelled = PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color"> & { more?: number };
export type DrawLabel = (context: CanvasRenderingContext2D, data: Labelled, settings: Settings) => void;

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Where names stand already in the present drawing: no two stand on each other. */
export class Room {
  private taken: Box[] = [];

  clear(): void {
    this.taken = [];
  }

  /** Keep names off a shape. */
  occupy(x: number, y: number, size: number): void {
    this.taken.push({ left: x - size, top: y - size, width: 2 * size, height: 2 * size });
  }

  /** Take the first of some boxes that is free and inside; null if none is. */
  take(boxes: Box[], width: number): Box | null {
    const free = boxes.find((box) => box.left >= 0 && box.left + box.width <= width && !this.taken.some((other) => meet(box, other))) ?? null;
    if (free) this.taken.push(free);
    return free;
  }
}

export function labelWriter(colours: Colours, room: Room): DrawLabel {
  return (context, data, settings) => {
    // What is chosen gets a frame of its own.
    if (!data.label || data.highlighted) return;
    setFont(context, settings);
    const characters = [...data.label];
    const name = characters.length > SHORT_CHARACTERS ? `${characters.slice(0, SHORT_CHARACTERS - 1).join("")}…` : data.label;
    const more = data.more ? ` +${data.more}` : "";
    const [width, height] = [context.measureText(name + more).width, settings.labelSize + 4];
    const box = room.take(around(data, width, height), context.canvas.clientWidth);
    if (!box) return;
    const y = box.top + settings.labelSize;
    // A rim in the colour of the ground keeps letters readable on top of lines.
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = colours.background;
    context.strokeText(name + more, box.left, y);
    context.fillStyle = colours.text;
    context.fillText(name, box.left, y);
    if (!more) return;
    context.fillStyle = colours.muted;
    context.fillText(more, box.left + context.measureText(name).width, y);
  };
}

export function hoverWriter(colours: Colours, sayMore: (many: number) => string): DrawLabel {
  return (context, data, settings) => {
    context.strokeStyle = colours.chosen;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(data.x, data.y, data.size + 4, 0, 2 * Math.PI);
    context.stroke();
    if (!data.label) return;
    setFont(context, settings);
    const text = data.more ? `${data.label} ${sayMore(data.more)}` : data.label;
    const [width, height] = [context.measureText(text).width + 12, settings.labelSize + 10];
    const { left, top } = within(data, width, height, context.canvas.clientWidth);
    context.fillStyle = colours.background;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(left, top, width, height, 4);
    context.fill();
    context.stroke();
    context.fillStyle = colours.text;
    context.fillText(text, left + 6, top + height / 2 + settings.labelSize / 3);
  };
}

/** Right of a node, left of it, below it, above it. */
function around({ x, y, size }: Labelled, width: number, height: number): Box[] {
  const middle = y - height / 2;
  return [
    { left: x + size + GAP, top: middle, width, height },
    { left: x - size - GAP - width, top: middle, width, height },
    { left: x - width / 2, top: y + size + 1, width, height },
    { left: x - width / 2, top: y - size - 1 - height, width, height },
  ];
}

function meet(one: Box, other: Box): boolean {
  return one.left < other.left + other.width && other.left < one.left + one.width && one.top < other.top + other.height && other.top < one.top + one.height;
}

/** Right of the node if there is room, else left of it, else below it. */
function within({ x, y, size }: Labelled, width: number, height: number, all: number): { left: number; top: number } {
  const gap = size + 8;
  const middle = y - height / 2;
  if (x + gap + width <= all) return { left: x + gap, top: middle };
  if (x - gap - width >= 0) return { left: x - gap - width, top: middle };
  return { left: Math.max(2, Math.min(all - width - 2, x - width / 2)), top: y + gap };
}

function setFont(context: CanvasRenderingContext2D, settings: Settings): void {
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
}
