// Files to and from the service: which of them are exports and which are documents, how they are sent, how an export is fetched.
import { headers, refusalOf, send } from "../../api";
import { address } from "../../router";
import type { DocumentsAdded, Imported } from "../../verbs";

export type FileKind = "document" | "export";
export type Outcome = { kind: "document"; answer: DocumentsAdded } | { kind: "export"; answer: Imported };

const LINES = /\.(jsonl|ndjson)$/i;
const FIRST_BYTES = 64 * 1024;

/** JSON lines are an export if the first says what type of record it is; papers have titles and no type of ours. */
export async function kindOf(file: File): Promise<FileKind> {
  if (!LINES.test(file.name)) return "document";
  const [first = ""] = (await file.slice(0, FIRST_BYTES).text()).trimStart().split("\n");
  try {
    const record = JSON.parse(first) as { type?: unknown; title?: unknown };
    return typeof record.type === "string" || record.title === undefined ? "export" : "document";
  } catch {
    return first.includes('"title"') && !first.includes('"type"') ? "document" : "export";
  }
}

export async function sendFile(file: File, kind: FileKind, { namespace, split }: { namespace: string; split: boolean }): Promise<Outcome> {
  if (kind === "export") return { kind, answer: (await send(address("/api/import", { split }), { body: file, type: "application/x-ndjson" })) as Imported };
  const path = address("/api/add_document", { name: file.name, namespace });
  return { kind, answer: (await send(path, { body: file, type: "application/octet-stream" })) as DocumentsAdded };
}

/** Fetch an export and let the browser keep it as a file; returns its size. */
export async function downloadExport(shared: boolean): Promise<number> {
  const response = await fetch("/api/export", { method: "POST", headers: { ...headers(), "Content-Type": "application/json" }, body: JSON.stringify({ shared }) });
  if (!response.ok) throw await refusalOf(response);
  const blob = await response.blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `wherefrom-${new Date().toISOString().slice(0, 10)}${shared ? "-shared" : ""}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return blob.size;
}
