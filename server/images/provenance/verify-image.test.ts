import { execFileSync } from 'node:child_process'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { toSignedEntity, Verifier } from '@sigstore/verify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKeys } from '../../../testing/build-tools.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import { SigningKeyInUse, type SigningKeys } from '../../base/keys/signing-keys.ts'
import { DiskStorage } from '../../storage/disk.ts'
import {
  type ImageSigned,
  ImageUntrusted,
  imageChecks,
  type LayoutFiles,
  verifyLayers,
  verifySigned,
} from './verify-image.ts'

const versionId = `ver_${'0'.repeat(32)}`
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-verify-'))
afterAll(() => rmSync(folder, { recursive: true }))
const tools = { storage: new DiskStorage(folder), signing: makeSigningKeys() }
const files = new Map<string, Buffer>()

beforeAll(async () => {
  await makeSignedImage(tools, { versionId, layer: Buffer.from('a layer'), env: ['A=b'], user: '7:7' })
  const root = join(folder, 'objects/images', versionId)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) files.set(path.slice(root.length + 1), await readFile(path))
  }
})

const layoutOf = (content: ReadonlyMap<string, Buffer>): LayoutFiles => ({
  read: async (path, maxBytes) => content.get(path)?.subarray(0, maxBytes),
  size: async (path) => content.get(path)?.length,
  open: async (path) => Readable.from([content.get(path) ?? Buffer.alloc(0)]),
})

async function verify(
  content: ReadonlyMap<string, Buffer>,
  signing: Pick<SigningKeys, 'trusted'> = tools.signing,
) {
  const layout = layoutOf(content)
  const image = await verifySigned(layout, { trusted: signing.trusted() })
  await verifyLayers(layout, image.layers)
  return image
}

const slugOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'trusted',
    (error: unknown) => {
      if (error instanceof ImageUntrusted) return error.slug
      throw error
    },
  )

describe('a signed image', () => {
  test('is verified from its files and the public keys, each check in order', async () => {
    const passed: string[] = []
    const trusted = tools.signing.trusted()
    const image = await verifySigned(layoutOf(files), { trusted, onPassed: (check) => passed.push(check) })
    expect(passed).toEqual(imageChecks.slice(0, -1))
    expect(image).toMatchObject({ versionId, config: { env: ['A=b'], user: '7:7' } })
    expect(image.statement.predicate.buildDefinition.externalParameters.environment_version_id).toBe(
      versionId,
    )
  })

  test('is verified by a third-party verifier, from the envelope alone', async () => {
    const { envelope, keyId } = await verify(files)
    expect(() => verifyElsewhere(envelope, tools.signing.trusted().get(keyId))).not.toThrow()
    const changed = Buffer.from(envelope.payload, 'base64')
      .toString('utf8')
      .replace(versionId, `${versionId}x`)
    const other = { ...envelope, payload: Buffer.from(changed).toString('base64') }
    expect(() => verifyElsewhere(other, tools.signing.trusted().get(keyId))).toThrow(/signature/)
  })

  test('is verified by openssl, from the signed payload', async () => {
    const { signature, digest } = await verify(files)
    const key = tools.signing.list().find(({ id }) => id === signature.keyId)
    const named = (name: string, content: Buffer | string) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const [pem, sig] = [named('key.pem', key?.pem ?? ''), named('sig', signature.bytes)]
    const openssl = (payload: Buffer) =>
      execFileSync('openssl', [
        'dgst',
        '-sha256',
        '-verify',
        pem,
        '-signature',
        sig,
        named('payload', payload),
      ])
    expect(openssl(signature.payload).toString()).toBe('Verified OK\n')
    expect(signature.payload.toString()).toContain(digest)
    expect(() => openssl(Buffer.concat([signature.payload, Buffer.from(' ')]))).toThrow()
  })
})

/** The envelope for sigstore's library, with a key instead of a certificate. */
function verifyElsewhere(envelope: ImageSigned['envelope'], key: KeyObject | undefined): void {
  if (!key) throw new Error('no such key')
  const { payloadType, payload, signatures } = envelope
  const entity = toSignedEntity({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      content: { $case: 'publicKey', publicKey: { hint: signatures[0]?.keyid ?? '' } },
      tlogEntries: [],
      timestampVerificationData: undefined,
    },
    content: {
      $case: 'dsseEnvelope',
      dsseEnvelope: {
        payloadType,
        payload: Buffer.from(payload, 'base64'),
        signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig: Buffer.from(sig, 'base64') })),
      },
    },
  })
  const publicKey = createPublicKey(key.export({ type: 'spki', format: 'pem' }))
  const material = {
    certificateAuthorities: [],
    timestampAuthorities: [],
    tlogs: [],
    ctlogs: [],
    publicKey: () => ({ publicKey, validFor: () => true }),
  }
  new Verifier(material, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 }).verify(entity)
}

describe('an image that was tampered with', () => {
  test('is refused for one flipped bit in any of its files', async () => {
    const slugs = new Set<string>()
    for (const [path, whole] of files) {
      const step = Math.ceil(whole.length / 150)
      for (let at = 0; at < whole.length; at += step) {
        const damaged = Buffer.from(whole)
        damaged.writeUInt8((whole[at] ?? 0) ^ 1, at)
        const slug = await slugOf(verify(new Map([...files, [path, damaged]])))
        expect(slug, `byte ${at} of ${path}`).not.toBe('trusted')
        slugs.add(slug)
      }
    }
    expect(slugs).toEqual(
      new Set([
        ...['layout_invalid', 'index_invalid', 'manifest_missing', 'manifest_damaged', 'config_damaged'],
        ...[
          'signature_missing',
          'signature_damaged',
          'provenance_missing',
          'provenance_damaged',
          'layer_damaged',
        ],
      ]),
    )
  })

  test('is refused when it was assembled from parts with valid signatures', async () => {
    const other = `ver_${'1'.repeat(32)}`
    const storage = new DiskStorage(join(folder, 'other'))
    await makeSignedImage({ ...tools, storage }, { versionId: other, layer: Buffer.from('another layer') })
    const root = join(folder, 'other/objects/images', other)
    const mixed = new Map(files)
    for (const entry of await readdir(join(root, 'blobs/sha256'))) {
      mixed.set(`blobs/sha256/${entry}`, await readFile(join(root, 'blobs/sha256', entry)))
    }
    const [ours, theirs] = [files.get('index.json'), await readFile(join(root, 'index.json'))].map((bytes) =>
      JSON.parse(String(bytes)),
    )
    const withIndex = (manifests: unknown[]) =>
      new Map([...mixed, ['index.json', Buffer.from(JSON.stringify({ ...ours, manifests }))]])
    const [image, signature, provenance] = ours.manifests
    const [otherImage, otherSignature, otherProvenance] = theirs.manifests
    expect(await slugOf(verify(withIndex([image, signature, provenance])))).toBe('trusted')
    expect(await slugOf(verify(withIndex([otherImage, signature, provenance])))).toBe(
      'signature_of_another_image',
    )
    expect(await slugOf(verify(withIndex([image, otherSignature, provenance])))).toBe(
      'signature_of_another_image',
    )
    expect(await slugOf(verify(withIndex([image, signature, otherProvenance])))).toBe(
      'provenance_of_another_image',
    )
    expect(await slugOf(verify(withIndex([otherImage, otherSignature, otherProvenance])))).toBe('trusted')
  })
})

describe('keys', () => {
  test('that are not trusted verify nothing', async () => {
    const untrusted = makeSigningKeys()
    untrusted.rotate()
    expect(await slugOf(verify(files, untrusted))).toBe('signing_key_unknown')
  })

  test('that were rotated still verify until they are retired', async () => {
    const own = { storage: new DiskStorage(join(folder, 'rotated')), signing: makeSigningKeys() }
    await makeSignedImage(own, { versionId, layer: Buffer.from('a layer') })
    const root = join(folder, 'rotated/objects/images', versionId)
    const layout: LayoutFiles = {
      read: (path) => readFile(join(root, path)),
      size: async (path) => (await readFile(join(root, path))).length,
      open: async (path) => Readable.from([await readFile(join(root, path))]),
    }
    const check = () => slugOf(verifySigned(layout, { trusted: own.signing.trusted() }))
    const [first] = own.signing.list()
    const second = own.signing.rotate()
    expect(own.signing.list().map(({ id, signs }) => [id, signs])).toEqual([
      [first?.id, false],
      [second, true],
    ])
    expect(await check()).toBe('trusted')
    expect(() => own.signing.retire(second)).toThrow(SigningKeyInUse)
    expect(own.signing.retire(first?.id ?? '')).toBe(true)
    expect(await check()).toBe('signing_key_unknown')
    expect(own.signing.retire('../token-signing')).toBe(false)
  })
})
