"""Line charts, matrices of derivatives and loss surfaces."""
