export { banLengthSeconds, isWarned, strikeThreshold } from '@animal-store/contract';
