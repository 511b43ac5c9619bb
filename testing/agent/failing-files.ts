import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/*
 * For tests, loaded into an agent before its own code (`node --import`): makes one of its disk writes fail. The query of this
 * module's URL names a control file with a number and a token; the write of that number, counted since the token changed,
 * does half of its work and fails. `<file>.count` has the number of writes so far, `<file>.failed` the name of the failed one.
 */

const control = decodeURIComponent(new URL(import.meta.url).search.slice(1))
const { readFileSync, writeFileSync } = fs
let armed = ''
let count = 0

/** True if the present write must fail. */
function fails(name: string): boolean {
  let text = ''
  try {
    text = readFileSync(control, 'utf8')
  } catch {
    return false
  }
  if (text !== armed) {
    armed = text
    count = 0
  }
  count += 1
  writeFileSync(`${control}.count`, String(count))
  if (count !== Number(text.split(' ')[0])) return false
  writeFileSync(`${control}.failed`, name)
  return true
}

const failure = (name: string) => Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' })

type Method = (this: unknown, ...words: unknown[]) => unknown
type Methods = Record<string, Method>

/** The arguments with half of the bytes: positional writes have length and position after the buffer. */
function halfOf(words: unknown[]): unknown[] {
  const at = words.findIndex(
    (word) => word instanceof Uint8Array || (typeof word === 'string' && word.length > 0),
  )
  const place = typeof words[0] === 'string' && words.length > 1 ? 1 : at
  const content = words[place] as string | Uint8Array
  const half = content.slice(0, Math.floor(content.length / 2))
  if (typeof words[place + 2] !== 'number') return words.with(place, half)
  const [offset, , position] = words.slice(place + 1) as [number, number, number]
  return [...words.slice(0, place), content, offset, Math.floor((content.length - offset) / 2), position]
}

/** Output to stdout and stderr is not a disk write. */
const isOutput = ([file]: unknown[]) => file === 1 || file === 2

/** An opening to read changes nothing. */
const opensToRead = ([, flags]: unknown[]) => flags === undefined || flags === 'r'

interface Change {
  name: string
  writes?: boolean
  isNone?: (words: unknown[]) => boolean
}

function breakable(methods: Methods, { name, writes, isNone }: Change, isAsync: boolean): void {
  const real = methods[name]
  if (!real) throw new Error(`there is no ${name}`)
  methods[name] = function (...words) {
    if (isNone?.(words) || !fails(name)) return real.apply(this, words)
    if (!isAsync) {
      if (writes) real.apply(this, halfOf(words))
      throw failure(name)
    }
    const done = writes ? Promise.resolve(real.apply(this, halfOf(words))) : Promise.resolve()
    return done.then(() => {
      throw failure(name)
    })
  }
}

const plain = fs as unknown as Methods
for (const name of ['writeSync', 'writeFileSync'])
  breakable(plain, { name, writes: true, isNone: isOutput }, false)
for (const name of ['mkdirSync', 'fsyncSync', 'renameSync']) breakable(plain, { name }, false)
breakable(plain, { name: 'openSync', isNone: opensToRead }, false)
const { fsync } = fs
plain.fsync = (file, done) => {
  if (fails('fsync')) (done as (error: Error) => void)(failure('fsync'))
  else fsync(file as number, done as () => void)
}

const promised = fs.promises as unknown as Methods
for (const name of ['mkdir', 'rename']) breakable(promised, { name }, true)
breakable(promised, { name: 'writeFile', writes: true }, true)
breakable(promised, { name: 'open', isNone: opensToRead }, true)
const probe = await fs.promises.open('/dev/null')
const handles = Object.getPrototypeOf(probe) as Methods
await probe.close()
for (const name of ['sync', 'datasync', 'truncate']) breakable(handles, { name }, true)
for (const name of ['write', 'writeFile']) breakable(handles, { name, writes: true }, true)
syncBuiltinESMExports()
