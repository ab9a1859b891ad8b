"""The layers of a transformer, each split over the tensor parallel group."""
