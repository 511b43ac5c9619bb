export {
  Schedule,
  ScheduleCreateRequest,
  ScheduleList,
  SchedulePreview,
  ScheduleUpdateRequest,
} from './schedule.ts'
export { ScheduleTick, ScheduleTickList } from './schedule-tick.ts'
