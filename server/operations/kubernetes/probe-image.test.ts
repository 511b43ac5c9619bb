import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256Of } from '../../base/sha256.ts'
import { hexOf } from '../../images/image-documents.ts'
import { probeImage } from './probe-image.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'probe-image-'))
  await writeFile(join(folder, 'probe'), 'a program')
})
afterEach(() => rm(folder, { recursive: true }))

const made = () => probeImage({ probe: join(folder, 'probe') })

interface Documents {
  manifests: { digest: string }[]
  layers: { digest: string; size: number }[]
}

test('the archive has the image under its digest, and each blob under its own', async () => {
  const { archive, digest } = await made()
  const read = (path: string) => execFileSync('tar', ['-xOf', '-', path], { input: archive })
  const blob = (of: string) => read(`blobs/sha256/${hexOf(of)}`)
  const { manifests } = JSON.parse(read('index.json').toString()) as Documents
  expect(manifests.map((one) => one.digest)).toEqual([digest])
  expect(sha256Of(blob(digest))).toBe(digest)
  const { layers } = JSON.parse(blob(digest).toString()) as Documents
  const [layer] = layers.map((one) => blob(one.digest))
  expect(layers).toMatchObject([{ digest: sha256Of(layer ?? Buffer.of()), size: layer?.length }])
  const listed = execFileSync('tar', ['-tvf', '-'], { input: zstdDecompressSync(layer ?? Buffer.of()) })
  expect(listed.toString()).toMatch(/^d--------- 0\/0 .* \.sandbox\/closed\/$/m)
  expect(listed.toString()).toMatch(/^-rwxr-xr-x 0\/0 .* \.sandbox\/init$/m)
})

test('the same program makes the same image', async () => {
  const [one, other] = [await made(), await made()]
  expect(one.archive).toEqual(other.archive)
  expect(one.image.tag).toBe(other.image.tag)
})
