import { useState } from 'react'
import type { FoundFilters } from '../../data/runs/found-runs.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import styles from './runs.module.css'
import { countOf, nothing, type Selection } from './selection.ts'

interface Props {
  selection: Selection
  /** All runs that match. */
  total: number
  /** The runs of the list, and none that was submitted later. */
  filters: FoundFilters
  onChange: (selection: Selection) => void
}

/** The number of chosen runs, and the acts on them. */
export function SelectionBar({ selection, total, filters, onChange }: Props) {
  const t = useTexts().runs
  const [isAsked, setIsAsked] = useState(false)
  const chosen = countOf(selection, total)
  return (
    <div className={styles.bar}>
      {chosen > 0 && <span role="status">{t.chosenRuns(chosen)}</span>}
      {selection !== 'all' && (
        <Button icon="check" onPress={() => onChange('all')}>
          {t.chooseAll(total)}
        </Button>
      )}
      {chosen > 0 && (
        <>
          <Button icon="stop" onPress={() => setIsAsked(true)}>
            {t.cancelChosen}
          </Button>
          <Button icon="close" onPress={() => onChange(nothing)}>
            {t.chooseNone}
          </Button>
        </>
      )}
      {isAsked && (
        <CancelDialog
          filter={selection === 'all' ? filters : { ids: [...selection] }}
          onClose={() => setIsAsked(false)}
          onDone={() => onChange(nothing)}
        />
      )}
    </div>
  )
}
