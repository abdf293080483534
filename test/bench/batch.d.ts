/** Requests of one type: `status` is what they must return. */
interface Batch {
	status: number;
	nameLength: number;
	/** With 0, the driver sends nothing and collects the garbage. */
	count: number;
}
