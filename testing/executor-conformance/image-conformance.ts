import { expect, test } from 'vitest'
import type { ImagePort } from '../../agent/port/images.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { layerOf } from '../image-layer.ts'

/** The promises of `ImagePort`. */
export function imageConformance(get: () => ImagePort): void {
  test('an image is installed under the digest of its bytes only', async () => {
    const images = get()
    const tar = Buffer.alloc(10_240)
    const digest = sha256Of(tar)
    const other = `sha256:${'0'.repeat(64)}`
    await expect(images.installImage(other, layerOf(tar))).rejects.toMatchObject({
      slug: 'digest_mismatch',
    })
    expect(await images.hasImage(other)).toBe(false)
    await images.installImage(digest, layerOf(tar))
    await images.installImage(digest, layerOf(tar))
    expect(await images.hasImage(digest)).toBe(true)
    await images.removeImage(digest)
    expect(await images.hasImage(digest)).toBe(false)
  })
}
