import type { EnSchedules } from './en-schedules.ts'
import { numbersOf } from './numbers.ts'

const { counted } = numbersOf('de')

export const deSchedules = {
  schedules: {
    list: 'Zeitpläne',
    title: (room: string) => `Zeitpläne von ${room}`,
    why: 'Ein Zeitplan führt eine Aufgabe zu festen Zeiten aus, im Namen der Person, die ihn angelegt oder zuletzt geändert hat.',
    none: 'Keine Aufgabe dieses Raums läuft nach einem Zeitplan.',
    make: 'Zeitplan anlegen',
    task: 'Aufgabe',
    name: 'Name',
    when: 'Wann',
    whenHelp: 'Minute, Stunde, Tag des Monats, Monat und Wochentag, zum Beispiel 0 8 * * mon-fri',
    zone: 'Zeitzone',
    missed: 'Zeiten, die der Dienst verpasst,',
    policies: { skip: 'entfallen', once: 'starten zusammen einen Lauf' },
    preview: 'Nächste Zeiten und Preis',
    next: 'Nächste Zeiten',
    ticks: (count: number) => `${counted(count, 'Lauf', 'Läufe')} in 30 Tagen`,
    most: (amount: string) => `Bis zu ${amount} in 30 Tagen`,
    usual: (amount: string) => `Meist ${amount} in 30 Tagen`,
    lastRuns: 'Letzte Läufe',
    noTicks: 'Er ist noch nicht gelaufen.',
    run: 'Lauf',
    refused: (code: string) => `abgelehnt: ${code}`,
    skipped: {
      missed: 'verpasst',
      previous_run_active: 'der Lauf davor war nicht zu Ende',
      too_many_failures: 'pausiert nach Fehlern in Folge',
      authority_revoked: 'pausiert: die Person darf sie nicht mehr ausführen',
      restored_from_backup: 'lag vor der Wiederherstellung einer Sicherung',
    },
    paused: {
      by_person: 'Pausiert',
      authority_revoked: 'Pausiert: die Person darf die Aufgabe hier nicht mehr ausführen',
      too_many_failures: 'Pausiert nach fünf Fehlern in Folge',
    },
    pause: 'Pausieren',
    pauseNamed: (name: string) => `${name} pausieren`,
    resume: 'Fortsetzen',
    resumeNamed: (name: string) => `${name} fortsetzen`,
    change: 'Ändern',
    changeNamed: (name: string) => `${name} ändern`,
    changeWhy:
      'Sobald Sie ihn geändert haben, sind seine Läufe in Ihrem Namen, und frühere Fehler zählen nicht mehr.',
    staysPaused: 'Er bleibt pausiert, bis ihn jemand fortsetzt.',
    notOffered: 'Dieser Raum bietet die Aufgabe des Zeitplans nicht mehr an.',
    noChange: 'Nichts ist geändert.',
    save: 'Speichern',
    remove: 'Löschen',
    removeNamed: (name: string) => `${name} löschen`,
    removeWhy: 'Er startet danach keinen Lauf mehr. Seine Läufe bleiben.',
  },
} satisfies EnSchedules
