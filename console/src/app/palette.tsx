import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { TenantText } from '../parts/tenant-text.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './palette.module.css'
import { type PaletteEntry, useFoundEntries, usePaletteEntries } from './palette-entries.ts'
import { ranked } from './ranking.ts'

const shownMax = 50

/**
 * One field that goes to every screen, does what the screen offers, and searches for what the person may see. It is there at once: letters
 * that are typed before it is would be keys of the screen.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTexts()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const all = usePaletteEntries()
  const found = useFoundEntries(typed)
  const known = ranked(typed, all, (entry) => entry.text)
  const further = found.entries.filter(({ key }) => known.every((entry) => entry.key !== key))
  const entries = [...known, ...further].slice(0, shownMax)
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])

  function choose(entry: PaletteEntry | undefined): void {
    if (!entry) return
    onClose()
    entry.run()
  }

  function onKey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) setAt((at + step + entries.length) % Math.max(1, entries.length))
    else if (event.key === 'Enter') choose(entries[at])
    else return
    event.preventDefault()
  }

  const optionId = (index: number) => `${id}-${index}`
  useEffect(() => {
    document.getElementById(optionId(at))?.scrollIntoView({ block: 'nearest' })
  })

  const countText = (count: number) => (count === 0 ? t.palette.none : t.palette.results(count))
  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={t.palette.open}
      onCancel={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      onKeyDown={onKey}
    >
      <input
        className={styles.field}
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? optionId(at) : undefined}
        aria-label={t.palette.placeholder}
        placeholder={t.palette.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setAt(0)
        }}
      />
      <div id={id} role="listbox" aria-label={t.palette.open} className={styles.list}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys of the list
          <div
            key={entry.key}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={styles.entry}
            onClick={() => choose(entry)}
            onPointerMove={() => setAt(index)}
          >
            <TenantText text={entry.text} />
            <span className={styles.group}>{entry.keys ?? t.palette.groups[entry.group]}</span>
          </div>
        ))}
      </div>
      <p className={styles.count} role="status">
        {found.isLooking ? t.palette.looking : countText(entries.length)}
      </p>
    </dialog>
  )
}
