import { dirname } from 'node:path'
import { circles, fileEdges, loadedWith } from './house/import-graph.ts'
import { linesOf, type SourceFile, sourceFiles, trackedFiles } from './house/source-files.ts'

/* Measures of the code's size and structure. Tests, their support and generated files do not count. */

const files = sourceFiles()

const programs: Record<string, RegExp> = {
  agent: /^agent\//,
  kubernetes: /^kubernetes\//,
  reader: /^reader\//,
  server: /^server\//,
  cli: /^cli\//,
  client: /^client\//,
  console: /^console\//,
  contract: /^contract\//,
}
const programOf = ({ path }: SourceFile) => Object.keys(programs).find((name) => programs[name]?.test(path))

/** Entry points, and what is loaded from each. */
const entries = {
  'submission of a run': 'server/runs/submit/submit-run.ts',
  'drive of a run': 'server/runs/drive/run-worker.ts',
  'a build': 'server/builds/build-worker.ts',
  'the host agent': 'server/main/agent.ts',
}

/** Things that a run carries, by words in names of files. */
const runParts = ['bundle', 'files', 'session', 'secret', 'output', 'metadata']

/** Words of the glossary with one meaning, and the folders where they have it. */
const words: Record<string, RegExp> = {
  turn: /^(server\/(agents|agent-tools|mcp|http|access\/(turns|principal)[.]|main\/api\/api-agents[.])|contract)/,
  hold: /^(server\/billing|contract)\//,
  place: /^$/,
  attempt: /^(server\/(builds|environments)|contract|cli\/push)\//,
}

/** A declaration whose name ends in the word, as a word of its own. */
const namesWord = (word: string): RegExp =>
  new RegExp(
    `\\b(const|function|class|interface|type) (${word}|\\w*${word[0]?.toUpperCase()}${word.slice(1)})s?\\b`,
  )

const row = (name: string, value: string | number) => console.log(`${name.padEnd(52)} ${value}`)

for (const name of Object.keys(programs)) {
  const own = files.filter((file) => programOf(file) === name)
  const lines = own.reduce((sum, file) => sum + file.lines, 0)
  row(`${name}: files, lines`, `${own.length}, ${lines}`)
}

const folders = Map.groupBy(files, ({ path }) => dirname(path))
const sizes = [...folders.values()].map((own) => own.length)
row(
  'folders; over 16 files; under 4',
  [sizes.length, sizes.filter((n) => n > 16).length, sizes.filter((n) => n < 4).length].join('; '),
)
row(
  'median lines of a file',
  files.map(({ lines }) => lines).toSorted((a, b) => a - b)[files.length >> 1] ?? 0,
)

row('circles of files, types included', circles(fileEdges(files, { typeOnly: true })).length)
const values = fileEdges(files, { typeOnly: false })
for (const [name, path] of Object.entries(entries))
  row(`files loaded by ${name}`, loadedWith(path, values).size)

for (const part of runParts) {
  const own = files.filter(({ path }) => path.startsWith('server/runs/') && path.includes(part))
  row(`folders of runs with ${part} in a file's name`, new Set(own.map(({ path }) => dirname(path))).size)
}

for (const [word, home] of Object.entries(words)) {
  const named = namesWord(word)
  row(
    `files that name something ${word} elsewhere`,
    files.filter(({ path, text }) => !home.test(path) && named.test(text)).length,
  )
}

const isGenerated = (path: string) =>
  /^docs\/(openapi[.]json|schema[.]sql|states[.]md|access[.]md|sql\/.*)$/.test(path)
row(
  'generated lines in the tree',
  trackedFiles()
    .filter(isGenerated)
    .reduce((sum, path) => sum + linesOf(path), 0),
)
