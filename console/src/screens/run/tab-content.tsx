import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { lazy, Suspense } from 'react'
import { Skeleton } from '../../parts/panel.tsx'
import type { RunTab } from './tabs.ts'

/** Each part is loaded when it is opened for the first time. */
const contents = {
  result: lazy(() => import('./result-tab.tsx')),
  log: lazy(() => import('./log-tab.tsx')),
  files: lazy(() => import('./files-tab.tsx')),
  input: lazy(() => import('./input-tab.tsx')),
  network: lazy(() => import('./network-tab.tsx')),
  usage: lazy(() => import('./usage-tab.tsx')),
}

export function TabContent({ tab, run }: { tab: RunTab; run: ExtendedRun }) {
  const Content = contents[tab]
  return (
    <Suspense fallback={<Skeleton rows={6} />}>
      <Content run={run} />
    </Suspense>
  )
}
