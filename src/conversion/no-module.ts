/** Stands where libheif-js names a module of Node, which it uses there alone. */
export default undefined;
