// The folder in which it runs holds a copy of the document.
export default {
  turnwright: {
    input: "./openapi.json",
    output: {
      target: "./made/orval/api.ts",
      schemas: "./made/orval/model",
      client: "fetch",
      mode: "tags-split",
      clean: true,
      override: { mutator: { path: "./programs/carrier.ts", name: "carrier" } },
    },
  },
};
