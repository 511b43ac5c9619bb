import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedPrograms } from '../../server/native-programs/installed.ts'
import { LoneNamespace } from '../../testing/agent/internet/lone-namespace.ts'
import { mirrorAddress, portOf } from '../mirrors/mirror-address.ts'
import { Mirrors } from '../mirrors/mirrors.ts'
import { gateway4, linkAddresses } from './addresses.ts'
import { Resolver } from './resolver.ts'
import type { ListedLink } from './rules.ts'

/* An event on a link after its sandbox was reported is never reported of the next sandbox with that link. */

const link: ListedLink = { index: 5, mark: 0x1_0000, allow: { names: [], ranges: [] } }
const { ip4 } = linkAddresses(link.index)
let folder: string
let namespace: LoneNamespace

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'link-reuse-'))
  namespace = await LoneNamespace.make([...new Set([gateway4, mirrorAddress, ip4])])
})
afterAll(async () => {
  namespace.dispose()
  await rm(folder, { recursive: true, force: true })
})

const question = `const [, from, to, message] = process.argv
const socket = require('node:dgram').createSocket('udp4')
socket.on('message', () => socket.close())
socket.bind(0, from, () => socket.send(Buffer.from(message, 'hex'), 53, to))`

const request = `const [, localAddress, host, port] = process.argv
require('node:http').get({ host, port, localAddress, agent: false }, (answer) => answer.resume())`

/** Asks the resolver for a name from the address of the link, and waits for its answer. */
async function ask(label: string): Promise<void> {
  const name = Buffer.concat([Buffer.from([label.length]), Buffer.from(label), Buffer.alloc(1)])
  const message = Buffer.concat([
    Buffer.from('000101000001000000000000', 'hex'),
    name,
    Buffer.from([0, 1, 0, 1]),
  ])
  await namespace.run(process.execPath, '-e', question, ip4, gateway4, message.toString('hex'))
}

test('refused names of a link are forgotten when it is released, and when it is assigned', async () => {
  const resolver = new Resolver(
    installedPrograms(folder, ['resolver']).resolver,
    { namespace: namespace.path },
    { lists: new Map(), shares: new Map(), recorded: new Map(), onError: (error) => console.error(error) },
  )
  const refused = async () => {
    const { entries, more } = (await resolver.takeRecords(link.index)).refused
    return [...entries.map(({ name }) => name), more]
  }
  try {
    await resolver.enforceList(link)
    await ask('first')
    expect(await refused()).toEqual(['first', 0])
    await ask('second')
    resolver.release(link.index)
    expect(await refused()).toEqual([0])
    await resolver.enforceList(link)
    await ask('third')
    resolver.assign(link.index, 7)
    expect(await refused()).toEqual([0])
  } finally {
    await resolver.stop()
  }
})

test('requests to a mirror that failed after the end of a link are forgotten when it is opened again', async () => {
  const router = { namespace: namespace.path, nft: async () => undefined }
  const mirrors = new Mirrors({ folder, onError: (error) => console.error(error) })
  const read = () => namespace.run(process.execPath, '-e', request, ip4, mirrorAddress, String(portOf('npm')))
  const uses = async () => (await mirrors.takeRecords(link.index))?.uses.map(({ name }) => name)
  try {
    await mirrors.open(link.index, router)
    await read()
    expect(await uses()).toEqual(['npm'])
    mirrors.release(link.index, { add: () => undefined })
    await read()
    await mirrors.open(link.index, router)
    expect(await uses()).toEqual([])
  } finally {
    await mirrors.stop()
  }
})
