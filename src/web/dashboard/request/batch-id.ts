/** Pages make the ids of uploads at random: 16 bytes in hexadecimal. */
export function isBatchId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
