// Who the reader is to the service: asked once for the whole page, and again with another key.
import { useEffect } from "preact/hooks";
import { call, keysGiven } from "./api";
import { Store, useStore } from "./store";
import type { Info } from "./verbs";

export type Role = Info["role"];
const RANKS: Role[] = ["read", "write", "admin"];
const own = new Store<Role | null>(null);
let askedWith = -1;

/** Whether the reader may do what needs a role; until that is known, only what everybody may. */
export function useMay(): (role: Role) => boolean {
  const key = useStore(keysGiven);
  const role = useStore(own);
  useEffect(() => {
    if (askedWith === key) return;
    askedWith = key;
    // If it is refused, the parts of the page say so where they are refused themselves.
    call("info", {}).then((info) => own.set(info.role), () => { askedWith = -1; });
  }, [key]);
  return (needed) => RANKS.indexOf(role ?? "read") >= RANKS.indexOf(needed);
}
