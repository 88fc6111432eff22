// What can be done in a graph, each as a change of its address: choose, expand, fold, hide, and paths.
import { tell } from "../../parts/notice";
import { useWords } from "../../words";
import { change, MAX_STARTS, type View } from "./view";
import { table } from "./words";

export interface Actions {
  select: (id: string | null) => void;
  expand: (id: string) => void;
  fold: (id: string) => void;
  hide: (id: string) => void;
  startPath: (id: string) => void;
}

export function useActions(view: View): Actions {
  const say = useWords(table);
  return {
    select: (id) => {
      const [one, other] = view.path;
      if (id && one && !other && id !== one) change({ path: [one, id], selected: id });
      else change({ selected: id });
    },
    expand: (id) => {
      if (view.from.includes(id)) change({ selected: id });
      else if (view.from.length >= MAX_STARTS) tell({ text: say.tooMany(MAX_STARTS), isError: true });
      else change({ from: [...view.from, id], selected: id });
    },
    fold: (id) => {
      if (canFold(view, id)) change({ from: view.from.filter((start) => start !== id) });
    },
    hide: (id) => change({ hidden: [...view.hidden, id], selected: null }),
    startPath: (id) => change({ path: [id], from: view.from, selected: id }),
  };
}

export function canFold(view: View, id: string): boolean {
  return view.from.length > 1 && view.from.includes(id);
}
