import { useEffect, useEffectEvent } from 'react'
import { Store } from '../data/store.ts'
import { type ActionId, KeyReader, keyActions, shownKeys } from './keys.ts'

type Handler = () => void

/** The actions that the screen offers now. The palette lists them, and keys do them. */
export const offered = new Store<ReadonlyMap<ActionId, Handler>>(new Map())

/** Whether keys without a modifier do anything, as the person chose. */
export const singleKeys = new Store(true)

/** Offers an action while the component is drawn. */
export function useAction(id: ActionId, handler: Handler, isOffered = true): void {
  const run = useEffectEvent(handler)
  useEffect(() => {
    if (!isOffered) return
    offered.set(new Map(offered.get()).set(id, () => run()))
    return () => {
      const rest = new Map(offered.get())
      rest.delete(id)
      offered.set(rest)
    }
  }, [id, isOffered])
}

export const keysOf = (id: ActionId): string =>
  shownKeys(keyActions[id].keys, /mac/i.test(navigator.userAgent))

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"]), select, textarea'))

/** Does what keys mean on the screen that is drawn. A dialog that is open keeps all keys but its own. */
export function listenToKeys(): void {
  const reader = new KeyReader()
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return
    // A field in a shadow root is the first target of the event, not the one that the document has.
    const id = reader.read(event, isField(event.composedPath()[0] ?? null), event.timeStamp)
    if (id === undefined) return
    if (!event.ctrlKey && !event.metaKey && !singleKeys.get()) return
    const handler = offered.get().get(id)
    if (!handler) return
    event.preventDefault()
    handler()
  })
}
