/**
 * Sets every byte of a row's fully transparent pixels to 0. Nobody sees their color, but it would become visible without alpha.
 * Pixels have 2, 4 or 8 bytes; alpha is the last of them, or the last two. Returns whether there is such a pixel.
 */
export function clearTransparent(row: usize, length: usize, pixelBytes: usize, alphaBytes: usize): bool {
  const whole = length & ~15;
  let anywhere = i64x2.splat(0);
  for (let x: usize = 0; x < whole; x += 16) {
    const pixels = v128.load(row + x);
    const clear = transparentIn(pixels, pixelBytes, alphaBytes);
    anywhere = v128.or(anywhere, clear);
    v128.store(row + x, v128.andnot(pixels, clear));
  }
  let isAny = v128.any_true(anywhere);
  for (let x = whole; x < length; x += pixelBytes) {
    const alpha = row + x + pixelBytes - alphaBytes;
    if (load<u8>(alpha) != 0 || load<u8>(row + x + pixelBytes - 1) != 0) continue;
    memory.fill(row + x, 0, pixelBytes);
    isAny = true;
  }
  return isAny;
}

/** A mask of the pixels whose alpha is 0. Alpha is in the last bytes in memory, which are the highest. */
function transparentIn(pixels: v128, pixelBytes: usize, alphaBytes: usize): v128 {
  const zero = i64x2.splat(0);
  if (pixelBytes == 2) return v128.eq<u16>(v128.shr<u16>(pixels, 8), zero);
  if (pixelBytes == 8) return v128.eq<u64>(v128.shr<u64>(pixels, 48), zero);
  return v128.eq<u32>(v128.shr<u32>(pixels, alphaBytes == 1 ? 24 : 16), zero);
}
