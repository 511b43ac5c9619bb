import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DiskStorage } from '../../../server/storage/disk.ts'
import { makeSigningKeys } from '../../../testing/build-tools.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const versionId = `ver_${'0'.repeat(32)}`
const home = mkdtempSync(join(tmpdir(), 'cli-verify-'))
const layout = join(home, 'objects/images', versionId)
const signing = makeSigningKeys()
const at = (name: string) => join(home, name)
let service: FakeService

const page = (items: unknown[]) => ({ items, page_size: 100, next_page_token: null })

beforeAll(async () => {
  await makeSignedImage(
    { storage: new DiskStorage(home), signing },
    { versionId, layer: Buffer.from('layer') },
  )
  writeFileSync(
    at('keys.pem'),
    signing
      .list()
      .map(({ pem }) => pem)
      .join(''),
  )
  writeFileSync(at('stranger.pem'), makeSigningKeys().list()[0]?.pem ?? '')
  execFileSync('tar', ['-cf', at('image.tar'), '-C', layout, '.'])
  service = await fakeService()
  const version = { id: versionId, environment_id: 'env_1', version_number: 3 }
  Object.assign(service.answers, {
    listEnvironments: () => ({ json: page([{ id: 'env_1', name: 'python' }]) }),
    listEnvironmentVersions: () => ({ json: page([version]) }),
    downloadImage: () => ({ bytes: readFileSync(at('image.tar')) }),
    listSigningKeys: () => ({
      json: { items: signing.list().map(({ id, pem }) => ({ key_id: id, public_key_pem: pem })) },
    }),
  } satisfies FakeService['answers'])
})
afterAll(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const sandbox = (...args: string[]) => runCli(args, { home })
const online = (...args: string[]) =>
  runCli(args, { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

test('an intact image is proved from a folder and from a tar, without a service', async () => {
  for (const target of [layout, at('image.tar')]) {
    const { exitCode, stdout } = await sandbox('verify', target, '--key', at('keys.pem'))
    expect(stdout).toMatch(/^CHECK +RESULT +FOUND\n/)
    for (const check of ['layout', 'manifest', 'signature', 'provenance', 'layer', 'files']) {
      expect(stdout).toMatch(new RegExp(`^${check} +ok `, 'm'))
    }
    expect(stdout).toContain('This is the image that was built and signed.')
    expect(exitCode).toBe(0)
  }
})

test('a tampered image exits with 1, and the table shows the failed check', async () => {
  const blobs = readdirSync(join(layout, 'blobs/sha256')).map((name) => `blobs/sha256/${name}`)
  for (const name of ['index.json', 'oci-layout', ...blobs]) {
    cpSync(layout, at('tampered'), { recursive: true })
    const bytes = readFileSync(join(at('tampered'), name))
    const middle = Math.floor(bytes.length / 2)
    bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
    writeFileSync(join(at('tampered'), name), bytes)
    const { exitCode, stdout } = await sandbox('verify', at('tampered'), '--key', at('keys.pem'))
    expect(stdout, name).toMatch(/^\w+ +FAILED +[a-z_]+/m)
    expect([exitCode, stdout.includes('This image cannot be trusted.')], name).toEqual([1, true])
    rmSync(at('tampered'), { recursive: true })
  }
})

test('an unsigned file and an untrusted key are refused', async () => {
  cpSync(layout, at('more'), { recursive: true })
  writeFileSync(join(at('more'), 'note'), 'hello')
  expect(await sandbox('verify', at('more'), '--key', at('keys.pem'))).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/^files +FAILED +file_unknown/m),
  })
  const stranger = await sandbox('verify', layout, '--key', at('stranger.pem'), '--json')
  expect(stranger.exitCode).toBe(1)
  expect(JSON.parse(stranger.stdout)).toMatchObject({ trusted: false, failed: 'signing_key_unknown' })
  expect(await sandbox('verify', at('keys.pem'), '--key', at('keys.pem'))).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('archive_invalid'),
  })
})

test('nothing is proved without a key', async () => {
  expect(await sandbox('verify', layout)).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await sandbox('verify', layout, '--key', at('image.tar'))).toMatchObject({ exitCode: 2, stdout: '' })
})

test('a version of the service is downloaded and proved, and can be saved for later', async () => {
  const proved = await online('verify', 'python@3')
  expect([proved.exitCode, proved.stderr]).toEqual([
    0,
    expect.stringContaining('come from the service itself'),
  ])
  const saved = await online('env', 'export', 'python@3', '--out', at('saved.tar'))
  expect(saved.exitCode).toBe(0)
  expect(readFileSync(at('saved.tar'))).toEqual(readFileSync(at('image.tar')))
  expect((await online('env', 'export', 'python@3', '--out', at('saved.tar'))).exitCode).toBe(1)
  const keys = await online('signing-keys')
  expect(keys.stdout).toBe(readFileSync(at('keys.pem'), 'utf8'))
  expect((await online('verify', 'python@4')).exitCode).toBe(1)
})
