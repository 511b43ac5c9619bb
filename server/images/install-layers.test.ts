import { Readable } from 'node:stream'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { FakeExecutor } from '../../testing/fake-executor/fake-executor.ts'
import { sha256Of } from '../base/sha256.ts'
import { installedDigest, type Layer, type Layers } from './image-documents.ts'
import { installLayers } from './install-layers.ts'

const layerOf = (text: string): Layer => ({
  digest: sha256Of(`stored ${text}`),
  byteSize: 1,
  diffId: sha256Of(text),
})
const layers: Layers = [layerOf('lower'), layerOf('upper')]

function opened() {
  const names: number[] = []
  const open = async (_layer: Layer, at: number) => {
    names.push(at)
    return Readable.from([zstdCompressSync(Buffer.from(['lower', 'upper'][at] ?? ''))])
  }
  return { names, open }
}

test('the layers that the host lacks are installed, the lowest first', async () => {
  const host = new FakeExecutor(() => ({}))
  const { names, open } = opened()
  await installLayers(host, layers, open)
  await installLayers(host, layers, open)
  expect(await host.hasImage(installedDigest(layers))).toBe(true)
  expect(names).toEqual([0, 1])
  await installLayers(host, [layers[0]], open)
  expect(names).toEqual([0, 1])
})

test('a lower layer that is removed at that moment is installed again', async () => {
  const host = new FakeExecutor(() => ({}))
  const { names, open } = opened()
  await installLayers(host, layers, async (layer, at) => {
    if (names.length === 1) await host.removeImage(layers[0].diffId)
    return open(layer, at)
  })
  expect(await host.hasImage(installedDigest(layers))).toBe(true)
  expect(names).toEqual([0, 1, 0, 1])
})

test('one layer is installed under the digest of its tar', () => {
  expect(installedDigest([layers[0]])).toBe(layers[0].diffId)
})
