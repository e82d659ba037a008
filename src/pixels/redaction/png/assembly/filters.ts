/** PNG, 9.2: filter types. */
const SUB: u32 = 1;
const UP: u32 = 2;
const AVERAGE: u32 = 3;
const PAETH: u32 = 4;

/**
 * Reverses a row's filter (PNG, 9.2): `source` has the filtered bytes, `above` the finished row above, and `row` receives the finished
 * row. Every pixel is processed as eight bytes, of which the first `pixelBytes` count; the next pixel overwrites the others. Returns
 * whether the type is known.
 */
export function unfilter(
  type: u32,
  source: usize,
  above: usize,
  row: usize,
  length: usize,
  pixelBytes: usize,
): bool {
  if (type > PAETH) return false;
  if (type == 0) {
    memory.copy(row, source, length);
  } else if (type == UP) {
    for (let x: usize = 0; x < length; x += 16) {
      v128.store(row + x, v128.add<i8>(v128.load(source + x), v128.load(above + x)));
    }
  } else if (type == SUB) {
    let left = i8x16.splat(0);
    for (let x: usize = 0; x < length; x += pixelBytes) {
      left = v128.add<i8>(v128.load64_zero(source + x), left);
      v128.store64_lane(row + x, left, 0);
    }
  } else if (type == AVERAGE) {
    let left = i8x16.splat(0);
    const one = i8x16.splat(1);
    for (let x: usize = 0; x < length; x += pixelBytes) {
      const up = v128.load64_zero(above + x);
      left = v128.add<i8>(v128.load64_zero(source + x), averageOf(left, up, one));
      v128.store64_lane(row + x, left, 0);
    }
  } else {
    let left = i16x8.splat(0);
    let upLeft = i16x8.splat(0);
    const mask = i16x8.splat(255);
    for (let x: usize = 0; x < length; x += pixelBytes) {
      const up = i16x8.extend_low_i8x16_u(v128.load64_zero(above + x));
      const filtered = i16x8.extend_low_i8x16_u(v128.load64_zero(source + x));
      left = v128.and(v128.add<i16>(filtered, paethOf(left, up, upLeft)), mask);
      v128.store64_lane(row + x, i8x16.narrow_i16x8_u(left, left), 0);
      upLeft = up;
    }
  }
  return true;
}

/**
 * Filters a finished row into `target` (PNG, 9.2). At least sixteen zeros precede `row` and `above`. They stand for the pixels left of the
 * first one.
 */
export function filter(
  type: u32,
  row: usize,
  above: usize,
  target: usize,
  length: usize,
  pixelBytes: usize,
): void {
  if (type == 0) {
    memory.copy(target, row, length);
    return;
  }
  const one = i8x16.splat(1);
  for (let x: usize = 0; x < length; x += 16) {
    const left = v128.load(row + x - pixelBytes);
    const up = v128.load(above + x);
    let predicted = left;
    if (type == UP) {
      predicted = up;
    } else if (type == AVERAGE) {
      predicted = averageOf(left, up, one);
    } else if (type == PAETH) {
      const upLeft = v128.load(above + x - pixelBytes);
      predicted = i8x16.narrow_i16x8_u(
        paethOf(
          i16x8.extend_low_i8x16_u(left),
          i16x8.extend_low_i8x16_u(up),
          i16x8.extend_low_i8x16_u(upLeft),
        ),
        paethOf(
          i16x8.extend_high_i8x16_u(left),
          i16x8.extend_high_i8x16_u(up),
          i16x8.extend_high_i8x16_u(upLeft),
        ),
      );
    }
    v128.store(target + x, v128.sub<i8>(v128.load(row + x), predicted));
  }
}

/** ⌊(a + b) / 2⌋: the rounded-up average, minus one if the sum is odd. */
function averageOf(a: v128, b: v128, one: v128): v128 {
  return v128.sub<i8>(i8x16.avgr_u(a, b), v128.and(v128.xor(a, b), one));
}

/**
 * PNG, 9.4, in eight lanes: whichever of left, up and upper left is nearest to left + up − upper left. With t = 3·upper left − left − up,
 * that is the smaller of left and up if both are at most t, the larger if both are at least t, and upper left otherwise. This form has few
 * steps after `left`, on which every pixel waits.
 */
function paethOf(left: v128, up: v128, upLeft: v128): v128 {
  const threshold = v128.sub<i16>(
    v128.sub<i16>(v128.add<i16>(upLeft, v128.add<i16>(upLeft, upLeft)), up),
    left,
  );
  const lesser = i16x8.min_s(left, up);
  const greater = i16x8.max_s(left, up);
  const isBelow = v128.le<i16>(greater, threshold);
  const isAbove = v128.le<i16>(threshold, lesser);
  return v128.or(
    v128.or(v128.and(lesser, isBelow), v128.and(greater, isAbove)),
    v128.andnot(upLeft, v128.or(isBelow, isAbove)),
  );
}
