import { useCallback, useState } from 'react'
import styles from './log-view.module.css'

const probeColumns = 100
/** The numbers of the lines and the scroll bar. */
const reserved = 12

/** How many columns of the log's font fit into an element, and the reference that measures it. */
export function useColumns(): [
  columns: number,
  measured: (element: HTMLElement | null) => (() => void) | undefined,
] {
  const [columns, setColumns] = useState(80)
  const measured = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const probe = document.createElement('span')
    probe.className = styles.probe ?? ''
    probe.style.inlineSize = `${probeColumns}ch`
    element.append(probe)
    const sizes = new ResizeObserver(() => {
      const width = probe.offsetWidth / probeColumns
      if (width > 0) setColumns(Math.max(20, Math.floor(element.clientWidth / width) - reserved))
    })
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      probe.remove()
    }
  }, [])
  return [columns, measured]
}
