import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { chainDigest, sha256Of } from '../../server/base/sha256.ts'
import { layerOf } from '../image-layer.ts'
import { noInput } from '../no-input.ts'
import { type ExecutorUnderTest, smallJob } from './under-test.ts'

const emptyTar = (bytes: number) => Buffer.alloc(bytes)

/** The promises of `ImagePort`. */
export function imageConformance(get: () => ExecutorUnderTest): void {
  test('an image is installed under the digest of its tar only', async () => {
    const { executor: images } = get()
    const tar = emptyTar(10_240)
    const digest = sha256Of(tar)
    const other = `sha256:${'0'.repeat(64)}`
    await expect(images.installImage(other, layerOf(tar))).rejects.toMatchObject({ slug: 'digest_mismatch' })
    expect(await images.hasImage(other)).toBe(false)
    await images.installImage(digest, layerOf(tar))
    await images.installImage(digest, layerOf(tar))
    expect(await images.hasImage(digest)).toBe(true)
    await images.removeImage(digest)
    expect(await images.hasImage(digest)).toBe(false)
  })

  test('an image whose bytes break off is not installed', async () => {
    const { executor: images } = get()
    const tar = emptyTar(20_480)
    const layer = layerOf(tar)
    const broken = async () =>
      Readable.from(
        (async function* () {
          yield tar.subarray(0, 100)
          throw new Error('gone')
        })(),
      )
    const cut = images.installImage(sha256Of(tar), { ...layer, openTar: broken, openStored: broken })
    await expect(cut).rejects.toBeInstanceOf(Error)
    expect(await images.hasImage(sha256Of(tar))).toBe(false)
  })

  test('a layer is installed above an image under the digest of both, and runs', async () => {
    const underTest = get()
    const { executor } = underTest
    const [lower, upper] = [emptyTar(30_720), emptyTar(40_960)]
    const digest = chainDigest(sha256Of(lower), sha256Of(upper))
    await expect(executor.installImage(digest, layerOf(upper), sha256Of(lower))).rejects.toMatchObject({
      slug: 'image_missing',
    })
    await executor.installImage(sha256Of(lower), layerOf(lower))
    await executor.installImage(digest, layerOf(upper), sha256Of(lower))
    const spec = smallJob({ ...underTest, digest }, 'echo')
    await executor.start(spec, noInput)
    expect(await executor.wait(spec.id)).toMatchObject({ cause: 'exited', exitCode: 3 })
    await executor.remove(spec.id)
    await executor.removeImage(digest)
    expect(await executor.hasImage(digest)).toBe(false)
  })

  test('an image is not removed while a sandbox uses it', async () => {
    const underTest = get()
    const { executor } = underTest
    const tar = emptyTar(51_200)
    const digest = sha256Of(tar)
    await executor.installImage(digest, layerOf(tar))
    const spec = smallJob({ ...underTest, digest }, 'endless')
    await executor.start(spec, noInput)
    await expect(executor.removeImage(digest)).rejects.toMatchObject({ slug: 'image_in_use' })
    await executor.stop(spec.id)
    await executor.wait(spec.id)
    await executor.remove(spec.id)
    await executor.removeImage(digest)
    expect(await executor.hasImage(digest)).toBe(false)
  })
}
