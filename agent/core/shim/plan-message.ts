/** The plan and the launcher's description as a shim reads them (native/shim/plan.c): length, then the bytes, of each. */
export function planMessage(plan: string, description: string): Buffer {
  return Buffer.concat([plan, description].flatMap(withLength))
}

function withLength(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'utf8')
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return [length, bytes]
}
