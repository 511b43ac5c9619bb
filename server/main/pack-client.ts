import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import { madeSources } from '../../client/packing/made-sources.ts'
import { reference } from '../../client/packing/reference.ts'
import { workspaceTar } from '../runs/parts/workspace-tar.ts'

const entry = 'client/src/index.ts'
/** The same sources make the same bytes. In seconds: 1985, as the files of packages on npm have. */
const packedAt = 499_162_500

/** Packs the typed client as an npm package: one module, and the declarations of its sources where these are. */
export async function packClient(root: string, file: string): Promise<void> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const made = madeSources()
  const manifest = JSON.parse(read('client/package.json')) as object
  const contents: Record<string, string> = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': read('client/README.md'),
    'REFERENCE.md': reference(),
    LICENSE: read('LICENSE'),
    'dist/index.js': await moduleOf(root, made),
    ...declarationsOf((path) => made[path] ?? read(path)),
  }
  const entries = Object.entries(contents).map(([path, text]) => ({
    path: `package/${path}`,
    content: Buffer.from(text),
    mode: 0o644,
  }))
  await writeFile(file, gzipSync(workspaceTar(entries, packedAt)))
}

async function moduleOf(root: string, made: Record<string, string>): Promise<string> {
  const packing = await rolldown({
    cwd: root,
    input: join(root, entry),
    platform: 'neutral',
    tsconfig: false,
    plugins: [{ name: 'made', load: (id) => made[relative(root, id)] ?? null }],
    transform: { target: 'es2022' },
    onLog: (level, log) => {
      // Such as a package that it would need.
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await packing.generate({ format: 'esm', codeSplitting: false })
  return output[0].code
}

const imported = /(?:from |import\()["'](?<path>\.[^"']+\.ts)["']/g

/** The declarations of the entry and of all that they name. */
function declarationsOf(read: (path: string) => string): Record<string, string> {
  const declarations: Record<string, string> = {}
  const left = [entry]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const name = `dist/${path.replace(/\.ts$/, '.d.ts')}`
    if (declarations[name] !== undefined) continue
    const { code, errors } = isolatedDeclarationSync(path, read(path))
    if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
    declarations[name] = code
    for (const { groups } of code.matchAll(imported)) left.push(join(dirname(path), groups?.path ?? ''))
  }
  return declarations
}
