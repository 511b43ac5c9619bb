import { filesOf, proofs } from '../../testing/suite/proofs.ts'
import { currentCommit, isCommitted } from './changes.ts'
import { dueProofs } from './due-proofs.ts'
import { passedFiles } from './passed-files.ts'
import { readPasses, writePasses } from './passes.ts'

/* The proofs of a `./check`. Lists of names and of files are separated by commas. */

const namesOf = (text = ''): string[] => text.split(',').filter(Boolean)

/** `due [--all]`: the names of the proofs to run. */
function printDue(which?: string): void {
  const due = which === '--all' ? proofs : dueProofs(readPasses())
  console.log(due.map(({ name }) => name).join(','))
}

/** `scripts NAMES`: those of the proofs that are scripts, a line each: the name, a tab, and the words after `npm run`. */
function printScripts(names?: string): void {
  for (const { name, script } of proofs) {
    if (!script || !namesOf(names).includes(name)) continue
    const [first, ...args] = script
    console.log(`${name}\t${[first, '--', ...args].join(' ')}`)
  }
}

/** `passed REPORTS NAMES`: records what has passed, by the reports of tests and the names of the scripts that passed. */
function recordPasses(reports?: string, scripts?: string): void {
  // A pass of uncommitted work belongs to no commit.
  if (!isCommitted()) return
  const files = passedFiles(namesOf(reports))
  const pass = { commit: currentCommit(), at: new Date().toISOString() }
  const passes = readPasses()
  for (const proof of proofs) {
    const scriptPassed = !proof.script || namesOf(scripts).includes(proof.name)
    if (scriptPassed && filesOf(proof).every((file) => files.has(file))) passes[proof.name] = pass
  }
  writePasses(passes)
}

/** `report`: when each proof last passed. */
function printPasses(): void {
  const passes = readPasses()
  for (const { name } of proofs) {
    const pass = passes[name]
    const last = pass
      ? `${pass.at.slice(0, 16).replace('T', ' ')} at ${pass.commit.slice(0, 12)}`
      : 'not yet here'
    console.log(`  ${name.padEnd(24)} ${last}`)
  }
}

const commands: Record<string, (...words: string[]) => void> = {
  due: printDue,
  scripts: printScripts,
  passed: recordPasses,
  report: printPasses,
}

const [name = '', ...words] = process.argv.slice(2)
const command = commands[name]
if (command) command(...words)
else {
  console.error(`usage: node tools/proofs/main.ts ${Object.keys(commands).join('|')}`)
  process.exitCode = 2
}
