// Builds the page into the Python package, from which the service serves it.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../src/wherefrom/interfaces/http/page",
    emptyOutDir: true,
    target: "es2022",
    // Nothing may be inlined: the policy lets only files of the service run.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
});
