/** The files of a ZIP without compression, read from its central directory (APPNOTE 4.3.12). */
export function filesInZip(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const files = new Map<string, Uint8Array>();
  for (let at = bytes.length - 4; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    const nameLength = view.getUint16(at + 28, true);
    const sizeBytes = view.getUint32(at + 24, true);
    const start = view.getUint32(at + 42, true);
    const dataAt = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    files.set(name, bytes.subarray(dataAt, dataAt + sizeBytes));
  }
  return files;
}
