import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readTablesAgain } from '../../data/authoring/tables.ts'
import { Button } from '../../parts/button.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ChangeTableDialog } from './change-table-dialog.tsx'
import styles from './tables.module.css'

/** Changes and archives a table. */
export function TableActions({ table }: { table: CustomTable }) {
  const t = useTexts().tables
  const queries = useQueryClient()
  const [isChanging, setIsChanging] = useState(false)
  return (
    <div className={styles.acts}>
      <Button icon="draft" onPress={() => setIsChanging(true)}>
        {t.change}
      </Button>
      <FinalAct
        icon="archive"
        act={t.archive}
        title={t.archiveNamed(table.name)}
        why={t.archiveWhy(table.row_count)}
        run={() => api.call(allRoutes.archiveTable, { params: { id: table.id } })}
        onDone={() => readTablesAgain(queries)}
      />
      {isChanging && <ChangeTableDialog table={table} onClose={() => setIsChanging(false)} />}
    </div>
  )
}
