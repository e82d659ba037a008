export { filter, unfilter } from "./filters";
export { clearTransparent } from "./transparency";
