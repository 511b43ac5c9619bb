import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

/*
 * `node pack.ts ROOT FOLDER`: what a process of the service loads, of the program at ROOT and of its packages, as one file
 * or a few instead of some thousand. A process then starts in a fifth of the time, and in less memory: each module costs
 * look-ups of its path, its package and its type before a line of it runs.
 */

/** Where each process begins, below `server`. */
const entries = [
  'main/api.ts',
  'main/worker.ts',
  'main/agent.ts',
  'main/prepare-database.ts',
  'builds/reader/reader-main.ts',
  'tasks/input-schema/schema-worker.ts',
]

const [, , root = '', folder = ''] = process.argv
const names = new Map(entries.map((entry) => [basename(entry, '.ts'), join(root, 'server', entry)]))

const ourSource = /^(?!.*\/node_modules\/).*\.ts$/
const place = /new URL\('\.\/(?<started>[\w-]+)\.ts', import\.meta\.url\)|import\.meta\.(?:dirname|url)/g

/**
 * Our modules look for what lies beside them in the program, which packing does not move; but a program of ours that they
 * start is packed too, and lies beside them there.
 */
const places: Plugin = {
  name: 'places',
  transform: {
    filter: { id: ourSource, code: 'import.meta' },
    handler: (code, id) =>
      code.replaceAll(place, (found: string, started?: string) => {
        if (started && !names.has(started)) throw new Error(`${id} starts ${started}, which is not packed`)
        if (started) return `new URL('./${started}.mjs', import.meta.url)`
        return JSON.stringify(found.endsWith('dirname') ? dirname(id) : pathToFileURL(id).href)
      }),
  },
}

const packing = await rolldown({
  cwd: root,
  input: Object.fromEntries(names),
  platform: 'node',
  plugins: [places],
  onLog: (level, log) => {
    if (level === 'warn' && log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
  },
})
await packing.write({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].mjs',
  chunkFileNames: 'shared-[hash].mjs',
})
