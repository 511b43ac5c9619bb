import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { headlessLines } from './house/headless-sentences.ts'

/**
 * Checks house rules that neither the linter nor dependency-cruiser can express. Rules of code are on the shipped files
 * without their comments; the rule of sentences is on comments and documents. Each exception names its file and the reason; an unused exception is a fault too.
 */
interface Rule {
  name: string
  /** The files that the rule checks, and those where the construct belongs. */
  files: RegExp
  allowed: RegExp
  forbidden: RegExp
  exceptions: Record<string, string>
}

const tests = /[.]test[.]tsx?$|conformance[.]ts$|^testing\//

const foreignTables = [
  'tasks',
  'task_versions',
  'task_bundles',
  'share_grants',
  'bindings',
  'runs',
  'run_inputs',
  'run_contents',
  'run_artifacts',
  'build_attempts',
  'build_stages',
  'build_logs',
]

/** Declarations whose name ends in the word, as a word of its own. */
const namesEndIn = (word: string): RegExp =>
  new RegExp(
    `\\b(const|function|class|interface|type) (${word}|\\w*${word[0]?.toUpperCase()}${word.slice(1)})s?\\b`,
  )

/** A word of the glossary names one thing, in the files where that is at home. */
const oneMeaning = (word: string, meaning: string, home: RegExp): Rule => ({
  name: `${word} is ${meaning}`,
  files: /^(agent|kubernetes|reader|server|cli|client|console|contract)\//,
  allowed: home,
  forbidden: namesEndIn(word),
  exceptions: {},
})

const rules: Rule[] = [
  oneMeaning(
    'turn',
    'what an agent does for a message; elsewhere it is a schedule, a queue or serial',
    /^(server\/(agents|agent-tools|mcp|http|access\/(turns|principal)[.]|main\/api\/api-agents[.])|contract)/,
  ),
  oneMeaning(
    'hold',
    'reserved money; elsewhere it is a lock, a lease or a pin',
    /^(server\/billing|contract)\//,
  ),
  oneMeaning('place', 'a slot, a path, a position or a reference', /^$/),
  oneMeaning(
    'attempt',
    'one execution of a build; elsewhere it is a delivery or a try',
    /^(server\/(builds|environments)|contract|cli\/push)\//,
  ),
  {
    name: 'SQL is only in *-store.ts, *-statement.ts, work, db and postgres',
    files: /^(agent|kubernetes|reader|server|cli)\//,
    allowed: /-(store|statement)[.]ts$|^server\/(work|db|postgres)\//,
    forbidden: /\bsql(<[^`]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/,
    exceptions: {
      'server/access/own-runs.ts': 'the condition for own runs, a part of statements of several stores',
      'server/builds/attempts/build-fence.ts': 'one row and three statements, which only this file uses',
      'server/operations/kill-switch/kill-switch.ts':
        'one row and three statements, which only this file uses',
      'server/builds/chain/sweep-builds.ts': 'one read that joins tables of two stores of builds',
      'server/environments/versions/version-transitions.ts': 'the columns that a transition sets',
      'server/runs/queue/cancel-run.ts': 'the columns that a transition sets',
      'server/runs/drive/finish-run.ts': 'one statement with the transition and the rows of results',
    },
  },
  {
    name: 'the clock, ids and randomness are only in server/base',
    files: /^(agent|kubernetes|reader|server)\//,
    allowed: /^server\/base\//,
    forbidden: /\bDate\.now\(\)|\bnew Date\(\)|\brandom(UUID|Bytes|Int)\(|\bMath\.random\(/,
    exceptions: {
      'reader/process/large-archives.ts': 'bytes of test archives',
      'server/builds/chain/chain-progress.ts': 'the time of a verification, which nothing compares',
      'server/environments/operator/runner-release-store.ts':
        'the time of an approval, which nothing compares',
      'server/environments/operator/runner-releases.ts': 'the time of an approval, which nothing compares',
      'agent/core/marks/many-marks.ts': 'the default of a parameter, in a tool of benchmarks',
      'agent/network/link-maker.ts': 'a random first index, so that agents seldom collide',
      'agent/network/network.ts': 'a random first mark, so that agents seldom collide',
      'server/findings/exception-service.ts': 'the check of an expiry that a caller sends',
      'server/operations/host/base-images.ts': 'the time at which a base image was made, for people',
      'server/secrets/keys/local-keys.ts': 'initialization vectors of a cipher',
      'server/secrets/store/sealed-value.ts': 'data keys and initialization vectors of a cipher',
      'server/storage/incoming.ts': 'names of temporary files',
    },
  },
  {
    name: 'environments name no table of tasks, runs or builds',
    files: /^server\/environments\//,
    allowed: /^$/,
    forbidden: new RegExp(
      `(\\b(from|join|update|into)\\s+|(From|Join|Table|Into)\\(\\s*')(${foreignTables.join('|')})\\b`,
    ),
    exceptions: {},
  },
  {
    name: 'colours and sizes of type are only in tokens.css',
    files: /^console\/.*[.]css$/,
    allowed: /^console\/src\/design\/tokens[.]css$/,
    forbidden: /#[\da-f]{3,8}\b|\b(rgb|hsl|oklch|color)a?\(|\bfont(-size)?:[^;]*\dpx/i,
    exceptions: {},
  },
  {
    name: 'text never becomes markup or code in the console',
    files: /^console\/src\/.*[.]tsx?$/,
    allowed: /^$/,
    forbidden:
      /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function\(/,
    exceptions: {},
  },
]

const withoutComments = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .replaceAll(/(^|\s)\/\/.*$/gm, '')

const root = join(import.meta.dirname, '..')
const allFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))
const files = allFiles.filter((file) => /[.](tsx?|css)$/.test(file) && !tests.test(file))

function faultsOf({ name, files: about, allowed, forbidden, exceptions }: Rule): string[] {
  const needed = new Set<string>()
  const faults = files
    .filter((file) => about.test(file) && !allowed.test(file))
    .flatMap((file) =>
      withoutComments(readFileSync(join(root, file), 'utf8'))
        .split('\n')
        .flatMap((line, at) => {
          if (!forbidden.test(line)) return []
          needed.add(file)
          return file in exceptions ? [] : [`${file}:${at + 1}: ${name}: ${line.trim()}`]
        }),
    )
  const unneeded = Object.keys(exceptions).filter((file) => !needed.has(file))
  return [...faults, ...unneeded.map((file) => `${file}: no longer an exception of: ${name}`)]
}

/** Files with prose, except the list of past changes. Descriptions of the wire contract are in the documents made from it. */
const prose = /[.](tsx?|css|mjs|c|h|py|sh|ya?ml|md)$|(^|\/)(Dockerfile|check|install|quickstart|run)$/

const sentenceFaults = allFiles
  .filter((file) => prose.test(file) && file !== 'CHANGELOG.md')
  .flatMap((file) =>
    headlessLines(file, readFileSync(join(root, file), 'utf8')).map(
      (line) =>
        `${file}:${line}: a sentence begins with What, Who, Whose, Whoever or That which: name its subject`,
    ),
  )

const faults = [...rules.flatMap(faultsOf), ...sentenceFaults]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
