/**
 * @typedef {{ readonly x: number, readonly y: number }} Point Fractions 0…1 of the picture.
 * @typedef {{ readonly x: number, readonly y: number, readonly width: number, readonly height: number }} Box Fractions 0…1 of the picture.
 */

/**
 * The box between two opposite corners.
 *
 * @param {Point} a
 * @param {Point} b
 * @returns {Box}
 */
export function boxBetween(a, b) {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}

/**
 * A box moved by fractions of the picture, as far as it stays within.
 *
 * @param {Box} box
 * @param {number} right
 * @param {number} down
 * @returns {Box}
 */
export function moveWithin(box, right, down) {
  const x = Math.min(1 - box.width, Math.max(0, box.x + right));
  const y = Math.min(1 - box.height, Math.max(0, box.y + down));
  return { ...box, x, y };
}

/**
 * A box of a size around a place, as far as it stays within the picture.
 *
 * @param {Point} center
 * @param {{ readonly width: number, readonly height: number }} size
 * @returns {Box}
 */
export function boxAround({ x, y }, size) {
  const [width, height] = [Math.min(1, size.width), Math.min(1, size.height)];
  return moveWithin({ x: x - width / 2, y: y - height / 2, width, height }, 0, 0);
}

/**
 * A box made larger or smaller around its middle.
 *
 * @param {Box} box
 * @param {number} times
 * @returns {Box}
 */
export function scaleBox(box, times) {
  return boxAround(middleOf(box), { width: box.width * times, height: box.height * times });
}

/**
 * A box of which a handle was dragged to a place.
 *
 * @param {Box} box
 * @param {{ readonly across: number, readonly down: number }} handle which sides it moves: -1 the left or upper one, 1 the right or lower one
 * @param {Point} to
 * @returns {Box}
 */
export function resizeBox({ x, y, width, height }, { across, down }, to) {
  const a = { x: across === -1 ? to.x : x, y: down === -1 ? to.y : y };
  const b = { x: across === 1 ? to.x : x + width, y: down === 1 ? to.y : y + height };
  return boxBetween(a, b);
}

/**
 * @param {Box} box
 * @returns {Point}
 */
export function middleOf({ x, y, width, height }) {
  return { x: x + width / 2, y: y + height / 2 };
}
