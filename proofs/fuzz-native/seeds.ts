import { podInput } from '../../testing/kubernetes/pod-input.ts'

/** Initial inputs: at least one of each kind of record that a target reads. */

const blockBytes = 512

const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`

/** One entry of a tar, with its checksum. */
function tarEntry(name: string, type: string, content = '', link = ''): Buffer {
  const header = Buffer.alloc(blockBytes)
  const fields: [number, string][] = [
    [0, name],
    [100, octal(0o644, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(content.length, 12)],
    [136, octal(1, 12)],
    [148, ' '.repeat(8)],
    [156, type],
    [157, link],
    [257, 'ustar\x0000'],
  ]
  for (const [at, text] of fields) header.write(text, at, 'latin1')
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(octal(sum, 7), 148, 'latin1')
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
  return Buffer.concat([header, Buffer.from(content, 'latin1'), padding])
}

function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return `${length}${rest}`
}

const tar = (...entries: Buffer[]) => Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)])

export const unpackSeeds = (): Buffer[] => [
  tar(tarEntry('folder/', '5'), tarEntry('folder/file', '0', 'content'), tarEntry('./a/b/c', '0')),
  tar(
    tarEntry('file', '0', 'content'),
    tarEntry('hard', '1', '', 'file'),
    tarEntry('soft', '2', '', '../file'),
  ),
  tar(tarEntry('soft', '2', '', '/'), tarEntry('soft/file', '0', 'content'), tarEntry('../file', '0')),
  tar(tarEntry('long', 'L', `${'name/'.repeat(30)}x`), tarEntry('short', '0', 'content')),
  tar(tarEntry('long', 'K', `${'name/'.repeat(30)}x`), tarEntry('short', '2')),
  tar(
    tarEntry('pax', 'x', ['path', 'linkpath'].map((key) => paxRecord(key, 'other/name')).join('')),
    tarEntry('short', '0', 'content'),
  ),
  tar(
    tarEntry('pax', 'x', ['size', 'uid', 'gid'].map((key) => paxRecord(key, '7')).join('')),
    tarEntry('short', '0', 'content'),
  ),
  tar(tarEntry('pax', 'g', paxRecord('comment', 'x')), tarEntry('dev/null', '3'), tarEntry('fifo', '6')),
  tar(tarEntry('pax', 'x', paxRecord('GNU.sparse.major', '1')), tarEntry('short', '0')),
]

const record = (...bytes: number[]) => Buffer.from(bytes)

export const collectSeeds = (): Buffer[] => [
  Buffer.concat([record(0, 0, 0, 0), record(1, 1, 0, 20), record(0, 10, 0, 0), record(1, 12, 0, 200)]),
  Buffer.concat([
    record(1, 10, 0, 9),
    record(0, 0, 0, 0),
    record(0, 1, 0, 0),
    record(0, 2, 0, 0),
    record(1, 3, 0, 9),
  ]),
  Buffer.concat([record(2, 0, 13, 0), record(2, 10, 15, 0), record(0, 11, 0, 0), record(2, 12, 16, 0)]),
  Buffer.concat([
    record(0, 0, 0, 0),
    record(1, 4, 0, 9),
    record(3, 5, 4, 0),
    record(4, 6, 0, 0),
    record(5, 8, 0, 3),
  ]),
  Buffer.concat([record(0, 0, 0, 0), record(1, 6, 0, 9), record(6, 1, 0, 0), record(5, 10, 0, 0)]),
]

const step = (kind: number, content: Buffer | string) => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from([kind, bytes.length]), bytes])
}
const name = (text: string) =>
  Buffer.concat([
    ...text.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.alloc(1),
  ])
const question = (text: string, type = 1) =>
  Buffer.from([...[0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0], ...name(text), 0, type, 0, 1])
const fromLink = (link: number, message: Buffer) => step(0, Buffer.from([link, ...message]))
/** Flags, a count, and records that refer to the name of the question. */
const answer = (...addresses: number[][]) =>
  step(
    1,
    Buffer.from([
      ...[0x80, 0, addresses.length],
      ...addresses.flatMap((bytes) => [
        ...[0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 1, 0, 0, bytes.length],
        ...bytes,
      ]),
    ]),
  )
const netlink = (packet: number[]) => {
  const attribute = [4 + packet.length, 0, 9, 0, ...packet]
  const mark = [8, 0, 2, 0, 0, 0, 0, 1]
  const length = 20 + mark.length + attribute.length
  return Buffer.from([
    ...[length, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1],
    ...[...mark, ...attribute],
  ])
}

export const resolverSeeds = (): Buffer[] => {
  const ready = step(2, 'serve')
  const asked = fromLink(1, question('a.example.org'))
  return [
    Buffer.concat([ready, asked, answer([93, 184, 216, 34])]),
    Buffer.concat([ready, asked, answer([93, 184, 216, 34], [10, 0, 0, 1])]),
    Buffer.concat([
      ready,
      fromLink(2, question('b.example.org', 28)),
      answer(Array.from({ length: 16 }, () => 0x20)),
    ]),
    Buffer.concat([step(2, 'list 2 *.example.org,example.com'), ready, asked, answer([93, 184, 216, 34])]),
    Buffer.concat([step(2, 'list 2 example.com'), ready, asked, step(2, 'take 2')]),
    Buffer.concat([
      step(2, 'share 1 7'),
      step(2, 'share 2 7'),
      ready,
      asked,
      step(3, Buffer.from([200])),
      asked,
    ]),
    Buffer.concat([
      ready,
      step(4, ''),
      step(5, Buffer.from([0, 31, ...question('a.example.org')])),
      answer([9, 9, 9, 9]),
    ]),
    Buffer.concat([
      step(
        6,
        netlink([0x45, ...Array.from({ length: 8 }, () => 0), 6, 0, 0, 10, 0, 0, 2, 9, 9, 9, 9, 1, 2, 3, 4]),
      ),
      step(2, 'take 3'),
    ]),
    Buffer.concat([step(6, netlink([0x60, ...Array.from({ length: 47 }, () => 6)])), step(2, 'drop 1')]),
  ]
}

/** `values`, then a log in chunks of at most 200 bytes. */
function maskSeed(values: string[], ...chunks: string[]): Buffer {
  const parts = [...values, ...chunks].map((text) => {
    const bytes = Buffer.from(text, 'latin1')
    return Buffer.from([bytes.length, ...bytes])
  })
  return Buffer.concat([Buffer.from([values.length]), ...parts])
}

export const maskSeeds = (): Buffer[] => [
  maskSeed([], 'a line\n'),
  maskSeed(['opensesame'], 'say open', 'sesame, now\n'),
  maskSeed(['open', 'opensesame\n'], 'b3BlbnNlc2FtZQ==', '6f70656e736573616d65', 'open'),
  maskSeed(['a b&"\\'], 'a+b%26%22%5C', 'a b&\\"\\\\'),
  maskSeed(['x'.repeat(120), 'x\ny\nz\n'], 'x'.repeat(100), 'x\ny\nz', '\n'),
]

const collected = '1000 1000000 200 100'

export const startSeeds = (): Buffer[] => [
  podInput({
    words: ['sh', '-c', 'true'],
    env: { NAME: 'value' },
    masked: ['opensesame', 'other'],
    bytes: 'x',
  }),
  podInput({
    words: ['true'],
    files: [
      [1, 'result.json'],
      [2, 'a b'],
    ],
    plan: {
      collect_tree: `${collected} out`,
      collect_folder: `${collected} .`,
      egress_cap: 5,
      ingress_cap: 6,
    },
  }),
]
