// A value that components follow: when it is set, those that use it are drawn again.
import { useEffect, useState } from "preact/hooks";

export class Store<T> {
  private readonly followers = new Set<(value: T) => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    this.value = value;
    for (const follower of this.followers) follower(value);
  }

  follow(follower: (value: T) => void): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    setValue(store.get());
    return store.follow(setValue);
  }, [store]);
  return value;
}
