import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { Icon, type IconName } from '../design/icon.tsx'
import styles from './menu.module.css'

const gapPx = 4

/** The entries of a menu, in the order of the page. */
const entriesOf = (menu: HTMLElement): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]'),
]

function stepOf(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at - 1 + count) % count
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

/** A button with a menu, which the browser closes when anything else is pressed. */
export function Menu({ label, icon, children }: { label: string; icon: IconName; children: ReactNode }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)

  function placeBelowButton(): void {
    const at = button.current?.getBoundingClientRect()
    if (!at || !menu.current) return
    menu.current.style.insetBlockStart = `${at.bottom + gapPx}px`
    menu.current.style.insetInlineEnd = `${Math.max(gapPx, document.documentElement.clientWidth - at.right)}px`
  }

  function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
    const entries = entriesOf(event.currentTarget)
    const at = entries.indexOf(document.activeElement as HTMLElement)
    const next = stepOf(event.key, at, entries.length)
    if (next === undefined) return
    event.preventDefault()
    entries[next]?.focus()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.button}
        aria-label={label}
        aria-haspopup="menu"
        title={label}
        popoverTarget={id}
      >
        <Icon name={icon} />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className={styles.menu}
        onBeforeToggle={placeBelowButton}
        onToggle={(event) => event.newState === 'open' && entriesOf(event.currentTarget)[0]?.focus()}
        onKeyDown={moveFocus}
      >
        {children}
      </div>
    </>
  )
}

interface EntryProps {
  children: ReactNode
  onPress: () => void
  icon?: IconName
  /** An entry of a group of which one is chosen. */
  isChosen?: boolean
}

export const MenuEntry = ({ children, onPress, icon, isChosen }: EntryProps) => (
  // biome-ignore lint/a11y/useAriaPropsSupportedByRole: it is checked in the role of a radio button alone
  <button
    type="button"
    role={isChosen === undefined ? 'menuitem' : 'menuitemradio'}
    aria-checked={isChosen}
    tabIndex={-1}
    className={styles.entry}
    onClick={(event) => {
      event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
      onPress()
    }}
  >
    <span className={styles.mark}>
      {isChosen && <Icon name="check" />}
      {icon && <Icon name={icon} />}
    </span>
    {children}
  </button>
)

/** A title above entries that belong together. */
export const MenuGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <fieldset className={styles.group}>
    <legend>{title}</legend>
    {children}
  </fieldset>
)
