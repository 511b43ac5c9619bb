import type { ReactNode } from 'react'
import { Button } from '../parts/button.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './log-view.module.css'

interface LogToolbarProps {
  search: ReactNode
  onlyMatching: boolean
  setOnlyMatching: (onlyMatching: boolean) => void
  isWrapped: boolean
  setIsWrapped: (isWrapped: boolean) => void
  onFirstError: () => void
  onPlainText: () => void
  /** Absent if no lines are chosen. */
  onChosenText: (() => void) | undefined
  actions: ReactNode
}

export function LogToolbar(props: LogToolbarProps) {
  const t = useTexts().log
  return (
    <div className={styles.toolbar}>
      {props.search}
      <Choice isChosen={props.onlyMatching} onChange={props.setOnlyMatching}>
        {t.onlyMatching}
      </Choice>
      <Choice isChosen={props.isWrapped} onChange={props.setIsWrapped}>
        {t.wrap}
      </Choice>
      <span className={styles.end}>
        <Button kind="quiet" onPress={props.onFirstError}>
          {t.firstError}
        </Button>
        {props.onChosenText && (
          <Button kind="quiet" icon="copy" onPress={props.onChosenText}>
            {t.linesAsText}
          </Button>
        )}
        <Button kind="quiet" onPress={props.onPlainText}>
          {t.plainText}
        </Button>
        {props.actions}
      </span>
    </div>
  )
}

interface ChoiceProps {
  isChosen: boolean
  onChange: (isChosen: boolean) => void
  children: ReactNode
}

const Choice = ({ isChosen, onChange, children }: ChoiceProps) => (
  <label className={styles.choice}>
    <input type="checkbox" checked={isChosen} onChange={(event) => onChange(event.target.checked)} />
    {children}
  </label>
)
