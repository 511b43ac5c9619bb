import type { ComponentProps } from 'react'
import { Panel } from '../../parts/panel.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'

type Props<T> = ComponentProps<typeof Panel<T>> & {
  /** Why there is nothing: the build did not get so far, or it was removed. */
  missing: string
}

/** The answer of a query about an image, which a build may not have made. */
export const ImagePanel = <T,>({ missing, ...panel }: Props<T>) =>
  isNotFound(panel.query.error) ? <p>{missing}</p> : <Panel {...panel} />
