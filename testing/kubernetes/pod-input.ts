/* The stream of a gateway's `input`, as the README of the gateway has it. */

export interface PodInput {
  plan?: Record<string, string | number>
  files?: readonly [maxBytes: number, path: string][]
  words: readonly string[]
  env?: Record<string, string>
  masked?: readonly string[]
  timeoutMs?: number
  /** Standard input. */
  bytes?: Buffer | string
}

const plan = { log_bytes: 1 << 20, grace_ms: 0, open_files: 256, pids: 64, collect_seconds: 30 }

export function podInput({
  plan: more,
  files = [],
  words,
  env = {},
  masked = [],
  timeoutMs = 20_000,
  bytes = '',
}: PodInput): Buffer {
  const lines = [
    ...Object.entries({ ...plan, ...more }).map(([key, value]) => `${key} ${value}\n`),
    ...files.map(([maxBytes, path]) => `collect_file ${maxBytes} ${path}\n`),
  ]
  const texts = [...words, '', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
  const timeout = Buffer.alloc(8)
  timeout.writeBigUInt64LE(BigInt(timeoutMs))
  return Buffer.concat([
    ...withSize(Buffer.from(lines.join(''))),
    ...withSize(Buffer.from(texts.map((text) => `${text}\0`).join(''))),
    size(0),
    timeout,
    size(masked.length),
    ...masked.flatMap((value) => withSize(Buffer.from(value))),
    ...(bytes.length > 0 ? withSize(Buffer.from(bytes)) : []),
    size(0),
  ])
}

const withSize = (bytes: Buffer) => [size(bytes.length), bytes]

function size(count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}
