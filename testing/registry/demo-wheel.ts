import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zip } from '../../reader/formats/archive-fixtures.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import type { RegistryRoute } from './registry-fixture.ts'

/** Of the Debian package python3-pip-whl. */
const wheels = '/usr/share/python-wheels'

/** The wheel of pip itself: its path, and its bytes for a build context. */
export async function pipWheel(): Promise<{ path: string; content: Buffer }> {
  const name = (await readdir(wheels)).find((file) => file.startsWith('pip-')) ?? ''
  const path = join(wheels, name)
  return { path, content: await readFile(path) }
}

export const demoWheelName = 'demo-1.0-py3-none-any.whl'

/** A package that prints `demo works` when it is run. */
export const demoWheel = (program = 'print("demo works")\n'): Buffer =>
  zip([
    { name: 'demo.py', content: program },
    { name: 'demo-1.0.dist-info/METADATA', content: 'Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n' },
    {
      name: 'demo-1.0.dist-info/WHEEL',
      content: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    },
    { name: 'demo-1.0.dist-info/RECORD', content: 'demo.py,,\n' },
  ])

export const fileRoute = (type: string, body: Buffer | string): RegistryRoute => ({
  type,
  body: Buffer.from(body).toString('base64'),
})

/** A simple index below `folder` with this package. `fileAddress` is what the index says; default: a relative address. */
export function simpleIndex(
  folder: string,
  { fileAddress = `../../packages/${demoWheelName}`, served }: { fileAddress?: string; served?: Buffer } = {},
): Record<string, RegistryRoute> {
  const wheel = demoWheel()
  const hash = sha256Of(wheel).replace(':', '=')
  const link = `<a href="${fileAddress}#${hash}">${demoWheelName}</a>`
  return {
    [`${folder}/simple/demo/`]: fileRoute('text/html', `<!DOCTYPE html><html><body>${link}</body></html>`),
    [`${folder}/packages/${demoWheelName}`]: fileRoute('application/octet-stream', served ?? wheel),
  }
}
