/** A start as a collector reads it. */
export interface CollectedInput {
  plan: Map<string, string[]>
  argv: string[]
  env: string[]
  known: { byteSize: number; digest: string }[]
  timeoutMs: number
  masked: string[]
  /** Undefined if the bytes ended before the empty frame. */
  input: Buffer | undefined
}

/** Reads the whole answer; a connection that breaks is an end. */
export async function readInput(answer: AsyncIterable<Buffer>): Promise<CollectedInput> {
  const parts: Buffer[] = []
  try {
    for await (const part of answer) parts.push(part)
  } catch {
    // The input was cut.
  }
  return inputIn(Buffer.concat(parts))
}

export function inputIn(bytes: Buffer): CollectedInput {
  let at = 0
  const take = (size: number) => {
    at += size
    return bytes.subarray(at - size, at)
  }
  const sized = () => take(take(4).readUInt32LE())
  const plan = new Map<string, string[]>()
  for (const line of sized().toString().split('\n').filter(Boolean)) {
    const [key = '', ...values] = line.split(' ')
    plan.set(key, [...(plan.get(key) ?? []), values.join(' ')])
  }
  const words = sized().toString().split('\0').slice(0, -1)
  const records = sized()
  const known = Array.from({ length: records.length / 40 }, (_, number) => ({
    byteSize: Number(records.readBigUInt64BE(number * 40)),
    digest: `sha256:${records.toString('hex', number * 40 + 8, number * 40 + 40)}`,
  }))
  const timeoutMs = Number(take(8).readBigUInt64LE())
  const masked = Array.from({ length: take(4).readUInt32LE() }, () => sized().toString())
  const end = words.indexOf('')
  const start = { plan, argv: words.slice(0, end), env: words.slice(end + 1), known, timeoutMs, masked }
  const frames: Buffer[] = []
  while (at + 4 <= bytes.length) {
    const size = take(4).readUInt32LE()
    if (size === 0) return { ...start, input: Buffer.concat(frames) }
    if (at + size > bytes.length) break
    frames.push(take(size))
  }
  return { ...start, input: undefined }
}
