const types = { a: 1, cname: 5, aaaa: 28 }

/**
 * The response of a test's name server. A name contains the addresses that it resolves to, as labels in hexadecimal: four
 * bytes for A, sixteen for AAAA. `via` in front adds a CNAME, `swap` alternates between the first and the second address;
 * `silent` gets no response (an empty buffer here). `known` names have the IPv4 addresses given there. Undefined for a malformed
 * question.
 */
export function dnsAnswer(
  question: Buffer,
  known: Readonly<Record<string, string>> = {},
): Buffer | undefined {
  if (question.length < 17 || question.readUInt16BE(4) !== 1) return undefined
  const labels: string[] = []
  let at = 12
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  if (labels.includes('silent')) return Buffer.alloc(0)
  const type = question.readUInt16BE(at + 1)
  const questionSection = question.subarray(12, at + 5)
  const address = known[labels.join('.').toLowerCase()]
  const found = address
    ? [Buffer.from(address.split('.').map(Number))]
    : labels
        .filter((label) => /^([0-9a-f]{8}|[0-9a-f]{32})$/.test(label))
        .map((label) => Buffer.from(label, 'hex'))
  if (type === types.a) turn += 1
  const chosen = labels.includes('swap') ? found.slice(turn % 2, (turn % 2) + 1) : found
  const size = type === types.a ? 4 : type === types.aaaa ? 16 : 0
  const addresses = chosen.filter((address) => address.length === size)
  const hasAlias = labels.includes('via')
  const owner = hasAlias ? name('alias.test') : Buffer.from([0xc0, 12])
  const records = [
    ...(hasAlias ? [record(Buffer.from([0xc0, 12]), types.cname, name('alias.test'))] : []),
    ...addresses.map((address) => record(owner, type, address)),
  ]
  const head = Buffer.alloc(12)
  question.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, questionSection, ...records])
}

let turn = 0

function record(owner: Buffer, type: number, value: Buffer): Buffer {
  const rest = Buffer.alloc(10)
  rest.writeUInt16BE(type, 0)
  rest.writeUInt16BE(1, 2)
  rest.writeUInt16BE(value.length, 8)
  return Buffer.concat([owner, rest, value])
}

const name = (text: string) =>
  Buffer.concat([
    ...text.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.alloc(1),
  ])
