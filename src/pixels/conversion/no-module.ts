/** Replaces the Node modules that libheif-js imports and uses only on Node. */
export default undefined;
