import styles from './log-view.module.css'

const marksMax = 200

/** Marks beside the scroll bar where lines match. */
export function MatchBar({ lines, count }: { lines: Uint32Array; count: number }) {
  return (
    <div className={styles.marks} aria-hidden="true">
      {[...marksAt(lines, count)].map((at) => (
        <span key={at} className={styles.mark} style={{ insetBlockStart: `${(at * 100) / marksMax}%` }} />
      ))}
    </div>
  )
}

/** The parts of a log, of `marksMax` in all, that have a line of the list. */
function marksAt(lines: Uint32Array, count: number): Set<number> {
  const marks = new Set<number>()
  for (const line of lines) marks.add(Math.floor((line * marksMax) / Math.max(1, count)))
  return marks
}
