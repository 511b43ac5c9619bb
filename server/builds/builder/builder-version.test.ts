import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { builderProblem } from './builder-version.ts'

const package_ = (name: string, version: string) =>
  `Package: ${name}\nStatus: install ok installed\nVersion: ${version}\nDescription: of it\n a line\n`

test.each([
  ['1.39.3+ds1-1+b7', undefined],
  ['1.28.2+ds1-3', 'contains buildah 1.28.2+ds1-3; Dockerfiles are checked for 1.39'],
  ['1.390.0', 'contains buildah 1.390.0; Dockerfiles are checked for 1.39'],
  [undefined, 'contains no buildah'],
])('a builder with buildah %s is reported as %s', async (version, problem) => {
  const rootfs = await mkdtemp(join(tmpdir(), 'builder-'))
  try {
    const status = join(rootfs, 'var/lib/dpkg/status')
    await mkdir(dirname(status), { recursive: true })
    const own = version === undefined ? [] : [package_('buildah', version)]
    await writeFile(status, [package_('bash', '5.2'), ...own, package_('zlib1g', '1.28.1')].join('\n'))
    expect(await builderProblem(rootfs)).toBe(problem)
  } finally {
    await rm(rootfs, { recursive: true })
  }
})

test('a missing builder contains no buildah', async () => {
  expect(await builderProblem('/nowhere')).toBe('contains no buildah')
})
