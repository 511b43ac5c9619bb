import { readdirSync, readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Packs the `sandbox` command for other machines into one file: it needs Node 20 or later and nothing else. The file has
 * no extension and perhaps a folder with a package.json around it, so Node may take it for a script or for a module:
 * it is written to be both.
 */
export async function packCli(root: string, file: string): Promise<void> {
  const packing = await rolldown({
    cwd: root,
    input: join(root, 'cli/packed-main.ts'),
    platform: 'node',
    transform: { target: 'node20' },
    onLog: (level, log) => {
      // Such as a package that is missing, or a module that looks for files beside itself.
      if (level === 'warn') throw new Error(log.message)
    },
  })
  await packing.write({
    file,
    format: 'cjs',
    codeSplitting: false,
    banner: '#!/usr/bin/env node',
    intro,
    outro: '})',
    footer: ({ moduleIds }) => notices(root, moduleIds),
  })
  await chmod(file, 0o755)
}

/** A module has no `require`. */
const intro = `((require) => {
if (Number.parseInt(process.versions.node) < 20) {
  console.error('error: sandbox needs Node 20 or later, and this is ' + process.version + '.')
  process.exit(1)
}`
const call = `(typeof require === 'function' ? require : process.getBuiltinModule('node:module').createRequire('/'))`

/** Calls what the intro opened, and adds the licences of the packed code, which must accompany every copy of it. */
function notices(root: string, modules: string[]): string {
  const folders = new Set(modules.flatMap((id) => /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []))
  const texts = [...folders].sort().map((folder) => {
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return `${name}\n\n${licenceOf(folder)}`
  })
  const own = `Sandbox Jobs\n\n${readFileSync(join(root, 'LICENSE'), 'utf8').trim()}`
  const comment = [own, ...texts].join('\n\n---\n\n').replaceAll('*/', '* /')
  return `${call}\n/*\n${comment}\n*/`
}

function licenceOf(folder: string): string {
  const name = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry))
  if (name === undefined) throw new Error(`${folder} has no licence that can accompany its code`)
  return readFileSync(join(folder, name), 'utf8').trim()
}
