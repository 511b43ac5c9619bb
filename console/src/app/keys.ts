import type { Texts } from '../texts/en.ts'

/** Keys as written, such as `Mod-K`, `g r` or `c`. `Mod` is Command on a Mac and Control elsewhere. */
interface KeyAction {
  keys: string
  text: (t: Texts) => string
  isEverywhere: boolean
}

const everywhere = (keys: string, text: KeyAction['text']): KeyAction => ({ keys, text, isEverywhere: true })
const here = (keys: string, text: KeyAction['text']): KeyAction => ({ keys, text, isEverywhere: false })

/** Every action that has keys. The handler, the palette, the list of keys and the hints of buttons read this table. */
export const keyActions = {
  palette: everywhere('Mod-K', (t) => t.keys.palette),
  help: everywhere('?', (t) => t.keys.help),
  rooms: everywhere('g h', (t) => t.keys.rooms),
  runs: everywhere('g r', (t) => t.keys.runs),
  inbox: everywhere('g i', (t) => t.keys.inbox),
  environments: everywhere('g e', (t) => t.keys.environments),
  tasks: everywhere('g t', (t) => t.keys.tasks),
  tables: everywhere('g b', (t) => t.keys.tables),
  company: everywhere('g c', (t) => t.keys.company),
  search: here('/', (t) => t.keys.search),
  nextRow: here('j', (t) => t.keys.nextRow),
  previousRow: here('k', (t) => t.keys.previousRow),
  chooseRow: here('x', (t) => t.keys.chooseRow),
  chooseRows: here('X', (t) => t.keys.chooseRows),
  cancelRun: here('c', (t) => t.keys.cancelRun),
  runAgain: here('a', (t) => t.keys.runAgain),
  share: here('s', (t) => t.keys.share),
  save: here('Mod-S', (t) => t.keys.save),
  submit: here('Mod-Enter', (t) => t.keys.submit),
  tab1: here('1', (t) => t.run.tabs.result),
  tab2: here('2', (t) => t.run.tabs.log),
  tab3: here('3', (t) => t.run.tabs.files),
  tab4: here('4', (t) => t.run.tabs.input),
  tab5: here('5', (t) => t.run.tabs.network),
  tab6: here('6', (t) => t.run.tabs.usage),
} satisfies Record<string, KeyAction>

export type ActionId = keyof typeof keyActions
export const actionIds = Object.keys(keyActions) as ActionId[]

/** The parts of an event that name a key. */
type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

const secondKeyMs = 1000

/**
 * Reads presses one by one and says which action they mean. A key without `Mod` means nothing while a field has the
 * focus, and nothing at all if single keys are off.
 */
export class KeyReader {
  #first = ''
  #firstAt = 0

  read(event: Pressed, isInField: boolean, now: number): ActionId | undefined {
    if (event.altKey) return undefined
    const isMod = event.ctrlKey || event.metaKey
    if (isInField && !isMod) return undefined
    const key = isMod ? `Mod-${event.key.length === 1 ? event.key.toUpperCase() : event.key}` : event.key
    const pair = now - this.#firstAt < secondKeyMs ? `${this.#first} ${key}` : key
    this.#first = key
    this.#firstAt = now
    return idOf(pair) ?? idOf(key)
  }
}

const idOf = (keys: string): ActionId | undefined => actionIds.find((id) => keyActions[id].keys === keys)

/** Keys as a person reads them on this machine. */
export const shownKeys = (keys: string, isMac: boolean): string => keys.replace('Mod-', isMac ? '⌘' : 'Ctrl+')
